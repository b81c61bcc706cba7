extension Score {
  /// Taps that are felt as one.
  private struct Beat {
    var first: HapticEvent
    var last: Double
    var strength: Double
  }

  /// Finds quick rows whose first tap is weaker than the next, with nothing before it to wake the
  /// skin.
  func weakFirstTaps(_ rules: AdviceRules) -> [Diagnostic] {
    var found: [Diagnostic] = []
    var row: [Beat] = []
    for beat in beats(rules) {
      if let previous = row.last, beat.first.time - previous.last > rules.rowGap {
        if let finding = judged(row, rules) { found.append(finding) }
        row = []
      }
      row.append(beat)
    }
    if let finding = judged(row, rules) { found.append(finding) }
    return found
  }

  private func beats(_ rules: AdviceRules) -> [Beat] {
    var beats: [Beat] = []
    for tap in taps {
      if let last = beats.last, tap.event.time - last.last < rules.mergeGap {
        beats[beats.count - 1].last = tap.event.time
        beats[beats.count - 1].strength = max(last.strength, tap.strength)
      } else {
        beats.append(Beat(first: tap.event, last: tap.event.time, strength: tap.strength))
      }
    }
    return beats
  }

  private func judged(_ row: [Beat], _ rules: AdviceRules) -> Diagnostic? {
    guard rules.rowCounts.contains(row.count), row.count > 1, let first = row.first else {
      return nil
    }
    let second = row[1]
    guard first.strength < second.strength * rules.firstTapShare,
      !isPrimed(first.first.time, rules)
    else { return nil }
    return finding(
      .weakFirstTap, at: first.first,
      "the first of \(row.count) quick taps is weaker (\(first.strength.briefShare)) than the "
        + "second (\(second.strength.briefShare)) and may not be felt; make it stronger or put a "
        + "primer before it")
  }

  private func isPrimed(_ time: Double, _ rules: AdviceRules) -> Bool {
    let candidates = vibrations.firstIndexAfter { $0.event.time < time }
    return vibrations[..<candidates].suffix(1000).contains {
      $0.event.end >= time - rules.primerLead
    }
  }
}
