import Acceptance
import Devices
import HapticRendering
import SignalAnalysis
import Units

/// When the event's response begins: where it first passes a tenth of its own peak.
extension CapturedEvent {
  /// The longest wait for an event's response, in seconds beyond the known delay.
  private static let longestRise = 0.060
  /// Onsets less sure than this are not timed, in seconds.
  private static let vaguestOnset = 2e-3
  /// An event sets in where its own response first passes this share of its own peak.
  private static let onsetShare = 0.1

  /// The commanded start, in drive frames.
  private var start: Double { frame(event.start) }

  func addOnset(to measured: inout MeasuredEvent) {
    if let reason = alignment.untimedReason ?? alignment.vagueness(at: start) {
      reject(&measured, because: reason)
      return
    }
    if let own, let part, part.delay != nil {
      addSeparateOnset(part, own.strength ?? own.fitted, from: own.first, to: &measured)
      return
    }
    if let reason = isolation.reason(event) {
      reject(&measured, because: part?.delayReason ?? unresolved(reason))
      return
    }
    addLoneOnset(to: &measured)
  }

  private func reject(_ measured: inout MeasuredEvent, because reason: String) {
    measured.reject(because: reason, kinds: [.latencyOnset])
  }

  private func addLoneOnset(to measured: inout MeasuredEvent) {
    let noise = floor
    var detector = OnsetDetector(rate: take.rate)
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
      reject(&measured, because: "the response stays below six sigma of the noise floor")
      return
    }
    // A tenth of the peak, where the noise leaves that to be seen.
    guard Self.onsetShare * peak > detector.threshold * sigma else {
      reject(&measured, because: "a tenth of its peak is below six sigma of the noise floor")
      return
    }
    detector.threshold = Self.onsetShare * peak / sigma
    // Nothing may move before the drive does: a response that is still there hides the onset.
    let level = Self.onsetShare * peak
    let before = max(0, command - Int(0.010 * rate))..<max(0, command)
    if samples[before].contains(where: { abs(Double($0) - noise.offset.value) > level }) {
      reject(&measured, because: "unresolved: the response had not settled before it")
      return
    }
    let first = max(0, command - 1)
    guard
      let onset = detector.first(
        in: samples[first..<last], frames: 0..<(last - first), noise: noise)
    else {
      reject(&measured, because: "the response does not rise from rest")
      return
    }
    // The threshold is as sure as the peak, which the noise lifts.
    let lift = Self.onsetShare * 3 * sigma / max(abs(onset.slope), 1e-30)
    add(
      Estimate(Double(first) + onset.frame, uncertainty: onset.uncertainty).widened(by: lift),
      note: alignment.noteOfTime(nil), to: &measured)
  }

  /// The onset of an event by its own part of the response, free of noise.
  ///
  /// What the model does not explain may lift an earlier half-wave over the threshold, or leave this one below
  /// it: the uncertainty holds the passages of the threshold moved by that much to either side.
  private func addSeparateOnset(
    _ part: SeparatedPart, _ response: [Double], from first: Int, to measured: inout MeasuredEvent
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
      reject(&measured, because: "nothing came of it")
      return
    }
    let (early, late) = (passage(level - doubt) ?? frame, passage(level + doubt) ?? frame)
    // Between two samples a straight line is as good as this, in frames.
    let line = 0.25 / 12.0.squareRoot()
    add(
      Estimate(frame, uncertainty: (part.delay?.uncertainty ?? 0) * take.rate.hertz)
        .widened(by: (late - early) / 2, line),
      note: alignment.noteOfTime(part.groupNote), to: &measured)
  }

  private func add(_ onset: Estimate, note: String?, to measured: inout MeasuredEvent) {
    let rate = take.rate.hertz
    guard onset.uncertainty < Self.vaguestOnset * rate else {
      reject(
        &measured, because: "unresolved: the response rises too slowly, or too little, to be timed")
      return
    }
    let electrical = alignment.electricalDelay(at: start)
    let laid = alignment.startUncertainty * rate
    let spread = onset.widened(by: electrical.uncertainty, laid).uncertainty
    measured.isTimed = true
    measured.onset = (onset.value - electrical.value - Double(take.layout.pattern)) / rate
    // The sensor tells of a motion later than it was: its own delay is no latency of the actuator.
    let sensed = onset.value - alignment.sensorDelay * rate
    measured.add(
      .latencyOnset, (sensed - electrical.value - start) / rate, uncertainty: spread / rate,
      count: 1, note: note)
    // As captured: on one clock the command's frame is known exactly.
    if alignment.electrical != nil {
      measured.add(
        .latencyTotal, (sensed - start) / rate, uncertainty: spread / rate, count: 1, note: note)
    }
  }
}
