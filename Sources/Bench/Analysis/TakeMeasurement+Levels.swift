import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

extension TakeMeasurement {
  /// How strong the event's response is, and what follows from that.
  mutating func addLevel(
    _ event: TimelineEvent, _ samples: [Float], _ noise: NoiseFloor, delay: Double,
    own: SeparatedResponse?
  ) {
    let channel = response?.description.name
    let isShort = event.kind == .transient
    let part = separation?.parts[event.index]
    // Of a rotor that hardly turns once the highest sample tells its phase, and no strength.
    let isTurn = isShort && part != nil && alignment.motor != nil
    if isTurn || isolation.isOverlapped(event) || part?.isDropped == true
      || (isolation.reason(event) != nil && (isShort || part != nil))
    {
      addSeparateLevel(event, own)
      return
    }
    if alignment.isFitMissing {
      // Without the transport delay the event's own stretch of response is not known.
      rejectLevels(event, because: "no fit: \(alignment.modelReason ?? "the probe was not found")")
      return
    }
    let rate = take.rate.hertz
    let length = isShort ? event.envelope.end + 0.010 : EventIsolation.intendedLength(event)
    let first = Int(frame(event.start) + delay)
    let last = min(samples.count, first + Int(length * rate))
    guard last - first >= 16 else { return }
    let window = FeltBand.stretch(
      first..<last, of: samples, offset: Float(noise.offset.value), rate: take.rate)
    let scale = LevelUncertainty(
      rig: rig, sigma: feltNoise, seconds: Double(window.count) / rate)
    let whole = Amplitude.rms(window)
    guard scale.isResponse(whole) else {
      if part != nil {
        addSeparateLevel(event, own)
        return
      }
      silent.append(event.index)
      // With the noise in it: more than this it was not.
      let highest = Double(window.reduce(0) { max($0, abs($1)) })
      let bound = LevelUncertainty(rig: rig, gain: 0, seconds: Double(window.count) / rate)
      addIntensity(
        event, window, peak: Estimate(highest, uncertainty: bound.peak(highest)), bound,
        note: "no response stands out of the noise, at most this")
      return
    }
    let peak = peak(of: window, from: first, own, noise, scale)
    add(
      .responsePeak, peak.value, uncertainty: peak.uncertainty, count: window.count,
      event: event.index, channel: channel)
    let rms = scale.withoutNoise(whole)
    add(
      .responseRMS, rms, uncertainty: scale.rms(rms), count: window.count, event: event.index,
      channel: channel)
    addIntensity(event, window, peak: peak, scale)
    addFrequency(event, window)
    addConsistency(event)
  }

  /// The highest crest of a stretch, in m/s2: where the event has a part of its own, the crest that the part
  /// has, so that the noise does not choose it.
  private func peak(
    of window: [Float], from first: Int, _ own: SeparatedResponse?, _ noise: NoiseFloor,
    _ scale: LevelUncertainty
  ) -> Estimate {
    // A rotor's phase is its own: its crests are not those of the fit.
    if let own, own.strength == nil,
      let crest = own.crest(
        within: (first - own.first)..<(first - own.first + window.count),
        noise: noise.sigma.value)
    {
      return Estimate(crest.value, uncertainty: scale.crest(crest))
    }
    let highest = Double(window.reduce(0) { max($0, abs($1)) })
    return Estimate(highest, uncertainty: scale.peak(highest))
  }

  /// The level of an event with others in force, from its own part of the response.
  private mutating func addSeparateLevel(
    _ event: TimelineEvent, _ own: SeparatedResponse?
  ) {
    guard let response = own, let part = separation?.parts[event.index],
      let delay = alignment.responseFrames(at: 0)
    else {
      rejectLevels(
        event,
        because: separation?.reasons[event.index] ?? "unresolved: another event is in force with it"
      )
      return
    }
    let rate = take.rate.hertz
    let isShort = event.kind == .transient
    let length = isShort ? event.envelope.end + 0.010 : EventIsolation.intendedLength(event)
    let first = Int(frame(event.start) + delay) - response.first
    var window = response.fitted[
      (first..<(first + Int(length * rate))).clamped(to: response.fitted.indices)
    ].map(Float.init)
    guard window.count >= 16 else { return }
    if part.isDropped {
      addDropped(event, window, part)
      return
    }
    // What comes a little late is read where it comes.
    if let late = part.delay.map({ Int(($0.value * rate).rounded()) - Int(delay) }), late > 0,
      isShort
    {
      window = response.fitted[
        (first..<(first + Int(length * rate) + late)).clamped(to: response.fitted.indices)
      ].map(Float.init)
    }
    let scale = LevelUncertainty(
      rig: rig, gain: part.gain.relativeUncertainty, seconds: Double(window.count) / rate)
    let channel = self.response?.description.name
    let highest = Double(window.reduce(0) { max($0, abs($1)) })
    let peak = Estimate(highest, uncertainty: scale.peak(highest))
    add(
      .responsePeak, peak.value, uncertainty: peak.uncertainty, count: window.count,
      event: event.index, channel: channel, note: part.account)
    let rms = Amplitude.rms(window)
    add(
      .responseRMS, rms, uncertainty: scale.rms(rms), count: window.count, event: event.index,
      channel: channel, note: part.account)
    addIntensity(event, window, peak: peak, scale, note: part.account)
    // What the fit left over belongs to what was felt: the model's own frequency is no measurement.
    let felt = response.measured[
      max(0, first)..<min(response.measured.count, max(0, first) + window.count)
    ].map(Float.init)
    addFrequency(event, felt)
    addConsistency(event)
  }

  /// The level of an event of which nothing came: at most what its gain leaves open.
  private mutating func addDropped(
    _ event: TimelineEvent, _ window: [Float], _ part: SeparatedPart
  ) {
    silent.append(event.index)
    let highest = part.gain.value + 2 * part.gain.uncertainty
    let louder = Float(highest / max(abs(part.gain.value), 1e-12))
    let bound = window.map { $0 * louder }
    let scale = LevelUncertainty(
      rig: rig, gain: part.gain.uncertainty / highest,
      seconds: Double(window.count) / take.rate.hertz)
    let peak = Double(bound.reduce(0) { max($0, abs($1)) })
    addIntensity(
      event, bound, peak: Estimate(peak, uncertainty: scale.peak(peak)), scale,
      note: Reading.droppedNote + ", at most this")
  }

  /// Intensity and sharpness together, of an event that has both.
  private mutating func addConsistency(_ event: TimelineEvent) {
    func error(_ kind: ReadingKind) -> Estimate? {
      guard
        let reading = readings.last(where: {
          $0.name == ReadingName(kind) && $0.event == event.index
        }), let value = reading.value
      else { return nil }
      return Estimate(value, uncertainty: reading.uncertainty ?? 0)
    }
    guard let level = error(.intensityError), let octaves = error(.sharpnessError) else { return }
    let octave = log2(1 + JustNoticeable.frequency)
    let (jL, jF) = (level.value / JustNoticeable.level, octaves.value / octave)
    let (uL, uF) = (level.uncertainty / JustNoticeable.level, octaves.uncertainty / octave)
    let j = JustNoticeable.consistency(
      levelError: level.value, frequencyRatio: exp2(octaves.value))
    let both = (uL * uL + uF * uF).squareRoot()
    // Near zero the length of a vector has no slope of its own: there it is as unsure as its parts.
    let along = j > 0 ? (jL * jL * uL * uL + jF * jF * uF * uF).squareRoot() / j : both
    add(
      .consistencyJ, j, uncertainty: j < 2 * both ? both : along, count: 2, event: event.index,
      channel: response?.description.name)
  }

  private mutating func rejectLevels(_ event: TimelineEvent, because reason: String) {
    if !rejected.contains(where: { $0.event == event.index }) {
      rejected.append((event.index, reason))
    }
    for kind: ReadingKind in [.responsePeak, .intensityError] {
      addMissing(
        kind, event: event.index, channel: response?.description.name, because: reason)
    }
  }

  /// Level against what the intent asks: by the peak for a tap, by the effective value for a vibration.
  private mutating func addIntensity(
    _ event: TimelineEvent, _ window: [Float], peak: Estimate, _ scale: LevelUncertainty,
    note: String? = nil
  ) {
    let rate = take.rate.hertz
    let channel = response?.description.name
    let intended: Double
    let measured: Double
    let spread: Double
    let held = expressed?.held(event, target)
    if event.kind == .transient, let held {
      intended = held.crest(phase: take.intent.tapPhase, rate: rate)
      (measured, spread) = (peak.value, peak.uncertainty)
    } else if event.kind == .transient {
      let frequency = take.intent.frequency(of: event, at: event.start)
      let level = take.intent.intensity(of: event, at: event.start)
      // The burst's own peak: the first crest under the falling weight.
      let crest = stride(from: 0, to: event.envelope.end, by: 1 / rate).reduce(0.0) {
        let carrier = abs(sin(2 * .pi * (frequency * $1 + take.intent.tapPhase)))
        return max($0, carrier * take.intent.weight(of: event, at: event.start + $1))
      }
      intended = target.acceleration(intensity: level, frequency: frequency) * crest
      (measured, spread) = (peak.value, peak.uncertainty)
    } else {
      // The rise is the actuator's, not the level's: it is left out where enough remains.
      let rise = Int(5 * (alignment.decayTime ?? 0) * rate)
      let skip = window.count - rise > Int(0.1 * rate) ? rise : 0
      let steady = Array(window[skip...])
      var sum = 0.0
      for index in stride(from: skip, to: window.count, by: 16) {
        let time = event.start + Double(index) / rate
        let asked =
          held?.level(at: time)
          ?? target.acceleration(
            intensity: take.intent.intensity(of: event, at: time),
            frequency: take.intent.frequency(of: event, at: time))
        sum += asked * asked
      }
      intended = (sum / Double((window.count - skip + 15) / 16)).squareRoot()
      measured = scale.withoutNoise(Amplitude.rms(steady)) * 2.0.squareRoot()
      let own = scale.rms(measured)
      // The ends cut periods, and a share of the rise may be left: e^-5 of the level at first.
      let seconds = Double(steady.count) / rate
      let asked = take.intent.frequency(of: event, at: event.start + seconds / 2)
      let cut = measured / (8 * .pi * max(asked, 20) * seconds)
      let left =
        skip > 0 ? measured * exp(-5) * min(1, (alignment.decayTime ?? 0) / seconds) : 0
      spread = (own * own + cut * cut + left * left).squareRoot()
    }
    guard intended > 0, measured > 0 else {
      addMissing(
        .intensityError, event: event.index, channel: channel,
        because: intended > 0
          ? "the response is below the noise" : "the intent asks for no level here")
      return
    }
    let error = Decibels.of(amplitude: measured / intended)
    let uncertainty = Decibels.of(amplitude: 1 + spread / measured)
    let words = [note, isCalibrated ? nil : "uncalibrated"].compactMap { $0 }
    add(
      .intensityError, error, uncertainty: uncertainty, count: window.count, event: event.index,
      channel: channel, note: words.isEmpty ? nil : words.joined(separator: "; "))
    add(
      .intensityJND, error / JustNoticeable.level, uncertainty: uncertainty / JustNoticeable.level,
      count: window.count, event: event.index, channel: channel)
  }

  private mutating func addFrequency(_ event: TimelineEvent, _ window: [Float]) {
    let channel = response?.description.name
    let middle = event.start + EventIsolation.intendedLength(event) / 2
    guard let found = DominantFrequency.estimate(window, rate: take.rate) else {
      addMissing(
        .responseFrequency, event: event.index, channel: channel,
        because: "no frequency stands out of the response")
      return
    }
    add(
      .responseFrequency, found.frequency.value, uncertainty: found.frequency.uncertainty,
      count: window.count, event: event.index, channel: channel)
    guard take.intent.timeline.controls.sharpness.isNeutral else { return }
    let asked =
      expressed?.held(event, target).frequency(at: middle)
      ?? take.intent.frequency(of: event, at: middle)
    add(
      .sharpnessError, log2(found.frequency.value / asked),
      uncertainty: found.frequency.relativeUncertainty / log(2), count: window.count,
      event: event.index, channel: channel)
  }
}
