import Acceptance
import Devices
import HapticRendering
import SignalAnalysis
import Units

extension TakeMeasurement {
  /// The longest wait for an event's response, in seconds beyond the known delay.
  private static var longestRise: Double { 0.060 }

  /// Onsets less sure than this are not timed, in seconds.
  private static var vaguestOnset: Double { 2e-3 }

  /// When the event's response begins, from its first passing of the noise or its own part of the response.
  mutating func addOnset(
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
    guard let separation, let part = separation.parts[event.index], let late = part.delay,
      let response = separation.response(of: event.index),
      let passing = response.fitted.firstIndex(where: { abs($0) > level }), passing > 0
    else {
      let why = separation?.reasons[event.index].map { "\(reason), and \($0)" }
      reject(event, because: why ?? reason, kinds: [.latencyOnset])
      return
    }
    let (before, after) = (abs(response.fitted[passing - 1]), abs(response.fitted[passing]))
    let slope = max(after - before, 1e-30)
    let frame = Double(response.first + passing - 1) + (level - before) / slope
    let rate = take.rate.hertz
    // The threshold as far as the noise is known, the part's strength, and its delay.
    let height = level * (noise.sigma.relativeUncertainty + part.gain.relativeUncertainty) / slope
    let delay = late.uncertainty * rate
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
    let laid = alignment.startUncertainty * rate
    let spread = [onset.uncertainty, electrical.uncertainty, laid].reduce(0) { $0 + $1 * $1 }
      .squareRoot()
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
}
