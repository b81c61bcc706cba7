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

  /// When the event's response begins: where it first passes a tenth of its own peak.
  mutating func addOnset(
    _ event: TimelineEvent, _ samples: [Float], _ noise: NoiseFloor, _ detector: OnsetDetector,
    start: Double, own: SeparatedResponse?
  ) {
    if let reason = alignment.untimedReason ?? alignment.vagueness(at: start) {
      reject(event, because: reason, kinds: [.latencyOnset])
      return
    }
    if let own, let part = separation?.parts[event.index], part.delay != nil {
      addSeparateOnset(
        event, part, own.strength ?? own.fitted, from: own.first, start: start)
      return
    }
    if let reason = isolation.reason(event) {
      let own = separation?.reasons[event.index] ?? separation?.parts[event.index]?.delayReason
      reject(event, because: own ?? reason, kinds: [.latencyOnset])
      return
    }
    let rate = take.rate.hertz
    let electrical = alignment.electricalFrames(at: start)
    let command = Int((start + electrical).rounded(.down))
    let known = alignment.responseFrames(at: start) ?? electrical
    let last = min(
      samples.count, Int(start + known + (Self.longestRise + event.envelope.end) * rate))
    let peak = samples[min(max(0, command), last)..<last].reduce(0.0) {
      max($0, abs(Double($1) - noise.offset.value))
    }
    let sigma = noise.sigma.value
    guard peak > detector.threshold * sigma else {
      reject(
        event, because: "the response stays below six sigma of the noise floor",
        kinds: [.latencyOnset])
      return
    }
    // A tenth of the peak, where the noise leaves that to be seen.
    guard Self.onsetShare * peak > detector.threshold * sigma else {
      reject(
        event, because: "a tenth of its peak is below six sigma of the noise floor",
        kinds: [.latencyOnset])
      return
    }
    var detector = detector
    detector.threshold = Self.onsetShare * peak / sigma
    // Nothing may move before the drive does: a response that is still there hides the onset.
    let level = Self.onsetShare * peak
    let before = max(0, command - Int(0.010 * rate))..<max(0, command)
    if before.contains(where: { abs(Double(samples[$0]) - noise.offset.value) > level }) {
      reject(
        event, because: "unresolved: the response had not settled before it",
        kinds: [.latencyOnset])
      return
    }
    guard
      let onset = detector.first(in: samples, frames: max(0, command - 1)..<last, noise: noise)
    else {
      reject(event, because: "the response does not rise from rest", kinds: [.latencyOnset])
      return
    }
    // The threshold is as sure as the peak, which the noise lifts.
    let lift = Self.onsetShare * 3 * sigma / max(abs(onset.slope), 1e-30)
    let spread = (onset.uncertainty * onset.uncertainty + lift * lift).squareRoot()
    guard spread < Self.vaguestOnset * rate else {
      reject(
        event, because: "unresolved: the response rises too slowly, or too little, to be timed",
        kinds: [.latencyOnset])
      return
    }
    addOnset(
      event, Estimate(onset.frame, uncertainty: spread), start: start,
      note: alignment.electrical == nil ? "holds the electrical delay: no reference" : nil)
  }

  /// An event sets in where its own response first passes this share of its own peak.
  private static var onsetShare: Double { 0.1 }

  /// The onset of an event by its own part of the response, free of noise.
  ///
  /// What the model does not explain may lift an earlier half-wave over the threshold, or leave this one below
  /// it: the uncertainty holds the passages of the threshold moved by that much to either side.
  private mutating func addSeparateOnset(
    _ event: TimelineEvent, _ part: SeparatedPart, _ response: [Double], from first: Int,
    start: Double
  ) {
    let peak = response.reduce(0) { max($0, abs($1)) }
    let level = Self.onsetShare * peak
    let doubt = min(0.9 * level, part.misfit * peak / 2)
    func passage(_ level: Double) -> Double? {
      guard let passing = response.firstIndex(where: { abs($0) > level }), passing > 0 else {
        return nil
      }
      let (before, after) = (abs(response[passing - 1]), abs(response[passing]))
      return Double(first + passing - 1) + (level - before) / max(after - before, 1e-30)
    }
    guard peak > 0, let frame = passage(level) else {
      reject(event, because: "nothing came of it", kinds: [.latencyOnset])
      return
    }
    let (early, late) = (passage(level - doubt) ?? frame, passage(level + doubt) ?? frame)
    let delay = (part.delay?.uncertainty ?? 0) * take.rate.hertz
    // Between two samples a straight line is as good as this, in frames.
    let line = 0.25 / 12.0.squareRoot()
    let form = (late - early) / 2
    let spread = (delay * delay + form * form + line * line).squareRoot()
    guard spread < Self.vaguestOnset * take.rate.hertz else {
      reject(
        event, because: "unresolved: the response rises too slowly, or too little, to be timed",
        kinds: [.latencyOnset])
      return
    }
    addOnset(event, Estimate(frame, uncertainty: spread), start: start, note: part.account)
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
