import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

extension TakeMeasurement {
  /// The longest wait for an event's response, in seconds beyond the known delay.
  private static var longestRise: Double { 0.060 }

  /// Onsets less sure than this are not timed, in seconds.
  private static var vaguestOnset: Double { 2e-3 }

  /// Onset, level and frequency of each haptic event that can be told apart.
  mutating func addEvents() {
    guard let response, let noise else {
      guard let reason = alignment.deadReason else { return }
      for event in take.intent.timeline.events where event.kind.isHaptic {
        silent.append(event.index)
        reject(event, because: reason, kinds: [.latencyOnset, .responsePeak, .intensityError])
      }
      return
    }
    let detector = OnsetDetector(rate: take.rate)
    // A gap's zeros are far from rest where gravity is in the samples: a level's filter reaches into one
    // that is near an event.
    var resting = response.samples
    for frame in recording.gaps.joined() where resting.indices.contains(frame) {
      resting[frame] = Float(noise.offset.value)
    }
    let windows = EventWindows(alignment: alignment, isolation: isolation)
    let dropped = Set(take.droppedEvents)
    for event in take.intent.timeline.events where event.kind.isHaptic {
      let start = frame(event.start)
      guard !dropped.contains(event.index) else {
        reject(
          event, because: "it was left out: more events were in force than there are voices",
          kinds: [.latencyOnset, .responsePeak])
        continue
      }
      if let reason = alignment.deadReason {
        silent.append(event.index)
        reject(event, because: reason, kinds: [.latencyOnset, .responsePeak, .intensityError])
        continue
      }
      guard let delay = alignment.responseFrames(at: start) else {
        let reason = "the delay from command to response is not known"
        reject(event, because: reason, kinds: [.latencyOnset])
        continue
      }
      let span = windows.span(of: event, in: self, delay: delay)
      guard span.upperBound <= response.samples.count else {
        reject(
          event, because: "the recording ends before it", kinds: [.latencyOnset, .responsePeak])
        continue
      }
      guard !recording.touches(span, delay: delay) else {
        reject(
          event, because: "a gap, an xrun or an overload touches it",
          kinds: [.latencyOnset, .responsePeak])
        continue
      }
      guard
        take.intent.intensity(of: event, at: event.start + 1e-9) > 0
          || event.kind == .continuous
      else {
        reject(event, because: "it asks for no intensity", kinds: [.latencyOnset])
        continue
      }
      if let held = expressed?.held(event, target), held.isSilent {
        // What the drive leaves out is its loss, and no fault of the actuator's.
        reject(
          event, because: "the drive cannot express it and stays silent",
          kinds: [.latencyOnset, .responsePeak, .intensityError])
        continue
      }
      addTransport(event)
      addOnset(event, response.samples, noise, detector, start: start)
      addLevel(event, resting, noise, delay: delay)
      addEnd(event, resting, noise, delay: delay)
    }
  }

  /// The event's own transport, from the fit that tells it from those beside it.
  private mutating func addTransport(_ event: TimelineEvent) {
    let channel = response?.description.name
    guard let separation else { return }
    guard let part = separation.parts[event.index] else {
      addMissing(
        .latencyEvent, event: event.index, channel: channel,
        because: separation.reasons[event.index] ?? "it was not fitted")
      return
    }
    add(
      .latencyEvent, part.delay.value - alignment.sensorDelay,
      uncertainty: part.delay.uncertainty, count: part.response.count, event: event.index,
      channel: channel, note: part.account)
  }

  private mutating func reject(
    _ event: TimelineEvent, because reason: String, kinds: [ReadingKind]
  ) {
    rejected.append((event.index, reason))
    for kind in kinds { addMissing(kind, event: event.index, because: reason) }
  }

  private mutating func addOnset(
    _ event: TimelineEvent, _ samples: [Float], _ noise: NoiseFloor, _ detector: OnsetDetector,
    start: Double
  ) {
    if let reason = alignment.untimedReason ?? alignment.vagueness(at: start) {
      reject(event, because: reason, kinds: [.latencyOnset])
      return
    }
    if let reason = isolation.reason(event) {
      addSeparateOnset(event, noise, start: start, because: reason)
      return
    }
    let rate = take.rate.hertz
    let electrical = alignment.electricalFrames(at: start)
    // Nothing may move before the drive does: a response that is still there hides the onset.
    let command = Int((start + electrical).rounded(.down))
    let threshold = detector.threshold * noise.sigma.value
    let before = max(0, command - Int(0.010 * rate))..<max(0, command)
    if before.contains(where: { abs(Double(samples[$0]) - noise.offset.value) > threshold }) {
      reject(
        event, because: "unresolved: the response had not settled before it",
        kinds: [.latencyOnset])
      return
    }
    let known = alignment.responseFrames(at: start) ?? electrical
    let last = min(
      samples.count, Int(start + known + (Self.longestRise + event.envelope.end) * rate))
    guard
      let onset = detector.first(in: samples, frames: max(0, command - 1)..<last, noise: noise)
    else {
      reject(
        event, because: "the response stays below six sigma of the noise floor",
        kinds: [.latencyOnset])
      return
    }
    guard onset.uncertainty < Self.vaguestOnset * rate else {
      reject(
        event, because: "unresolved: the response rises too slowly, or too little, to be timed",
        kinds: [.latencyOnset])
      return
    }
    addOnset(
      event, Estimate(onset.frame, uncertainty: onset.uncertainty), start: start,
      note: alignment.electrical == nil ? "holds the electrical delay: no reference" : nil)
  }

  /// The onset of an event with neighbours, from its own part of the response.
  private mutating func addSeparateOnset(
    _ event: TimelineEvent, _ noise: NoiseFloor, start: Double, because reason: String
  ) {
    let level = 6 * noise.sigma.value
    guard let part = separation?.parts[event.index],
      let passing = part.response.firstIndex(where: { abs($0) > level }), passing > 0
    else {
      let why = separation?.reasons[event.index].map { "\(reason), and \($0)" }
      reject(event, because: why ?? reason, kinds: [.latencyOnset])
      return
    }
    let (before, after) = (abs(part.response[passing - 1]), abs(part.response[passing]))
    let slope = max(after - before, 1e-30)
    let frame = Double(part.first + passing - 1) + (level - before) / slope
    let rate = take.rate.hertz
    // The threshold as far as the noise is known, the part's strength, and its delay.
    let height = level * (noise.sigma.relativeUncertainty + part.gain.relativeUncertainty) / slope
    let delay = part.delay.uncertainty * rate
    addOnset(
      event, Estimate(frame, uncertainty: (height * height + delay * delay).squareRoot()),
      start: start, note: part.account)
  }

  private mutating func addOnset(
    _ event: TimelineEvent, _ onset: Estimate, start: Double, note: String?
  ) {
    let rate = take.rate.hertz
    let channel = response?.description.name
    let electrical = alignment.electricalDelay(at: start)
    let spread = [onset.uncertainty, electrical.uncertainty].reduce(0) { $0 + $1 * $1 }.squareRoot()
    onsets[event.index] = (onset.value - electrical.value - Double(take.layout.pattern)) / rate
    add(
      .latencyOnset, (onset.value - electrical.value - start) / rate, uncertainty: spread / rate,
      count: 1, event: event.index, channel: channel, note: note)
    // As captured: on one clock the command's frame is known exactly.
    if alignment.electrical != nil {
      add(
        .latencyTotal, (onset.value - start) / rate, uncertainty: spread / rate, count: 1,
        event: event.index, channel: channel, note: note)
    }
  }

  private mutating func addLevel(
    _ event: TimelineEvent, _ samples: [Float], _ noise: NoiseFloor, delay: Double
  ) {
    let channel = response?.description.name
    let isShort = event.kind == .transient
    if isolation.isOverlapped(event) || (isShort && isolation.reason(event) != nil) {
      addSeparateLevel(event)
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
      silent.append(event.index)
      rejectLevels(event, because: "no response stands out of the noise")
      return
    }
    if let peak = Amplitude.peak(window) {
      add(
        .responsePeak, abs(peak.value), uncertainty: scale.peak(abs(peak.value)),
        count: window.count, event: event.index, channel: channel)
    }
    let rms = scale.withoutNoise(whole)
    add(
      .responseRMS, rms, uncertainty: scale.rms(rms), count: window.count, event: event.index,
      channel: channel)
    addIntensity(event, window, scale)
    addFrequency(event, window)
    addConsistency(event)
  }

  /// The level of an event with others in force, from its own part of the response.
  private mutating func addSeparateLevel(_ event: TimelineEvent) {
    guard let part = separation?.parts[event.index], let delay = alignment.responseFrames(at: 0)
    else {
      rejectLevels(event, because: "unresolved: another event is in force with it")
      return
    }
    let rate = take.rate.hertz
    let isShort = event.kind == .transient
    let length = isShort ? event.envelope.end + 0.010 : EventIsolation.intendedLength(event)
    let first = Int(frame(event.start) + delay) - part.first
    let window = part.response[
      (first..<(first + Int(length * rate))).clamped(to: part.response.indices)
    ].map(Float.init)
    guard window.count >= 16 else { return }
    let scale = LevelUncertainty(
      rig: rig, gain: part.gain.relativeUncertainty, seconds: Double(window.count) / rate)
    let channel = response?.description.name
    let peak = Double(window.reduce(0) { max($0, abs($1)) })
    add(
      .responsePeak, peak, uncertainty: scale.peak(peak), count: window.count, event: event.index,
      channel: channel, note: part.account)
    let rms = Amplitude.rms(window)
    add(
      .responseRMS, rms, uncertainty: scale.rms(rms), count: window.count, event: event.index,
      channel: channel, note: part.account)
    addIntensity(event, window, scale)
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
    _ event: TimelineEvent, _ window: [Float], _ scale: LevelUncertainty
  ) {
    let rate = take.rate.hertz
    let channel = response?.description.name
    let intended: Double
    let measured: Double
    let spread: Double
    let held = expressed?.held(event, target)
    if event.kind == .transient, let held {
      intended = held.crest(phase: take.intent.tapPhase, rate: rate)
      measured = Double(window.reduce(0) { max($0, abs($1)) })
      spread = scale.peak(measured)
    } else if event.kind == .transient {
      let frequency = take.intent.frequency(of: event, at: event.start)
      let level = take.intent.intensity(of: event, at: event.start)
      // The burst's own peak: the first crest under the falling weight.
      let crest = stride(from: 0, to: event.envelope.end, by: 1 / rate).reduce(0.0) {
        let carrier = abs(sin(2 * .pi * (frequency * $1 + take.intent.tapPhase)))
        return max($0, carrier * take.intent.weight(of: event, at: event.start + $1))
      }
      intended = target.acceleration(intensity: level, frequency: frequency) * crest
      measured = Double(window.reduce(0) { max($0, abs($1)) })
      spread = scale.peak(measured)
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
    add(
      .intensityError, error, uncertainty: uncertainty, count: window.count, event: event.index,
      channel: channel)
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

/// Which capture frames an event needs to be whole.
struct EventWindows {
  let alignment: TakeAlignment
  let isolation: EventIsolation

  /// From a little before the event's response to the end of its intended length.
  func span(of event: TimelineEvent, in take: TakeMeasurement, delay: Double) -> Range<Int> {
    let rate = take.take.rate.hertz
    let first = take.frame(event.start) + delay - 0.012 * rate
    let last = take.frame(event.start + EventIsolation.intendedLength(event)) + delay + 0.01 * rate
    return max(0, Int(first))..<max(1, Int(last))
  }
}
