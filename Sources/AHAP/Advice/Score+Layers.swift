extension Score {
  /// Finds sounds that start near one haptic start, but not with it.
  ///
  /// Where haptics start several times around a sound, none of them is taken for its partner.
  func soundsApart(_ rules: AdviceRules) -> [Diagnostic] {
    let starts = (taps.map(\.event.time) + vibrations.map(\.event.time)).sorted()
    return sounds.compactMap { sound in
      let low = starts.firstIndexAfter { $0 < sound.time - rules.meantTogether }
      let high = starts.firstIndexAfter { $0 <= sound.time + rules.meantTogether }
      guard low < high, starts[high - 1] - starts[low] <= rules.syncBand else { return nil }
      let near = starts[low..<high].min {
        abs($0 - sound.time) < abs($1 - sound.time)
      }
      guard let near else { return nil }
      let lead = near - sound.time
      guard abs(lead) > (lead > 0 ? rules.syncBand / 2 : rules.syncBand) + 1e-9 else { return nil }
      return finding(
        .soundApart, at: sound,
        "the sound starts \(abs(lead * 1000).briefShare) ms \(lead > 0 ? "before" : "after") the "
          + "haptics at \(near.briefSeconds) s; what is meant together must start together")
    }
  }

  /// Finds vibrations that are at full strength where a tap starts, which then is not felt.
  func vibrationsWithoutHeadroom(_ rules: AdviceRules) -> [Diagnostic] {
    // No product reaches full strength where the control alone does not.
    let open = taps.filter { intensityControl.value(at: $0.event.time) >= rules.fullStrength }
    return vibrations.compactMap { vibration in
      guard vibration.isSustained, vibration.intensity >= rules.fullStrength else { return nil }
      let start = open.firstIndexAfter { $0.event.time < vibration.event.time }
      let under = open[start...].prefix(1000).first {
        $0.event.time >= vibration.event.end
          || vibration.intensity * intensityControl.value(at: $0.event.time) >= rules.fullStrength
      }
      guard let under, under.event.time < vibration.event.end else { return nil }
      return finding(
        .noHeadroom, at: vibration.event,
        "the vibration is at full strength under the tap at \(under.event.time.briefSeconds) s and "
          + "masks it; lower its intensity, to 80 % say, to leave headroom")
    }
  }

  /// Finds an effect that goes on for too long.
  func longEffect(_ rules: AdviceRules) -> [Diagnostic] {
    guard duration > rules.longestEffect else { return [] }
    let events = taps.map(\.event) + vibrations.map(\.event) + sounds
    guard let last = events.max(by: { $0.end < $1.end }) else { return [] }
    return [
      finding(
        .effectLong, at: last,
        "the effect lasts \(duration.briefSeconds) s; beyond \(rules.longestEffect.plain) s haptics "
          + "tire: end it earlier or split it")
    ]
  }
}
