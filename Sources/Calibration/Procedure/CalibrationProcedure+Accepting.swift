import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// The silence: what the sensors show at rest.
  mutating func acceptRest(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let intake = ResponseIntake(subject: subject, offsets: nil)
    if case .failure(let failure) = try intake.capture(response, to: segment) {
      return .again(because: failure.reason)
    }
    // What comes after the silence are markers that the reference alone carries.
    let end = response.lead + segment.volts.count
    let quiet = response.limited(to: 0..<end)
    if let time = RestCheck.disturbance(quiet) {
      return .again(because: "something shook the rig \(text(time)) s into the silence")
    }
    let rest = try RestCheck(
      quiet, contour: subject.target.contour, sensorUncertainty: subject.sensorUncertainty)
    knowledge.rest = rest
    if let clock = response.clock { knowledge.clockOffsets.append(clock) }
    knowledge.markers = MarkerEcho(response, from: end, offsets: rest.offsets)
    knowledge.notes += rest.notes
    knowledge.axisNames = response.axes.map(\.name)
    choose(weights: rest.offsets.indices.map { $0 == 0 ? 1 : 0 })
    stage = subject.isMotor ? .motorStart : .wake(0)
    return .accepted
  }

  /// Takes a direction of motion over the axes.
  mutating func choose(weights: [Double]) {
    knowledge.weights = weights
    func combined(_ parts: [Double]) -> Double {
      zip(weights, parts).reduce(0) { $0 + $1.0 * $1.0 * $1.1 * $1.1 }.squareRoot()
    }
    knowledge.noise = combined(knowledge.rest?.bandNoise ?? [])
    knowledge.sigma = combined(knowledge.rest?.sigmas ?? [])
  }

  /// A response that has passed the checks every response must pass.
  mutating func accept(
    _ capture: Capture, _ plan: SegmentPlan, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    switch (stage, plan) {
    case (.wake(let attempt), .sweep(let plan)):
      return try acceptWake(capture, plan, segment, attempt: attempt)
    case (.otherChannel(let index), .sweep(let plan)):
      return try acceptOther(capture, plan, segment, index: index)
    case (.sweep(let index), .sweep(let plan)):
      return try acceptSweep(capture, plan, segment, index: index)
    case (.diagnosis(let suspicion), .sweep(let plan)):
      return try acceptDiagnosis(capture, plan, segment, suspicion: suspicion)
    case (.turning(let otherwise), .motor(let plan)):
      throw turning(capture, plan) ?? otherwise
    case (.turning(let otherwise), .sweep(let plan)):
      throw resonating(capture, plan, segment) ?? otherwise
    case (.amplifier, .tones(let plan)): return try acceptAmplifier(capture, plan)
    case (.closing, .sweep(let plan)): return try acceptClosing(capture, plan, segment)
    case (.ceiling(let round), .tones(let plan)):
      return try acceptCeiling(capture, plan, round: round)
    case (.taps(let round), .taps(let plan)): return acceptTrials(capture, plan, round: round)
    case (.grid(let round), .tones(let plan)):
      return try acceptGrid(capture, plan, round: round)
    case (.verification, .tones(let plan)): return try acceptVerification(capture, plan)
    case (.tapVerification(let round), .taps(let plan)):
      return acceptTaps(capture, plan, round: round)
    case (.pattern, .pattern(let plan)): return acceptPattern(capture, plan)
    case (.remount(let index), .sweep(let plan)):
      return try acceptRemount(capture, plan, segment, index: index)
    case (_, .motor(let plan)): return try acceptMotor(capture, plan)
    default: return .again(because: "the response does not belong to the step")
    }
  }
}

extension RestCheck {
  /// When a quiet stretch was not quiet: a stretch of 20 ms far above the usual one, in seconds.
  static func disturbance(_ response: SegmentResponse) -> Double? {
    let size = max(16, Int(response.rate.frames(0.020)))
    for axis in response.axes {
      let band = BandPass(band(response.rate)).apply(
        to: axis.samples.map { $0 - (axis.samples.first ?? 0) }, rate: response.rate)
      let blocks = stride(from: size, to: band.count - 2 * size, by: size).map { start in
        (band[start..<start + size].reduce(0) { $0 + $1 * $1 } / Double(size)).squareRoot()
      }
      guard blocks.count > 8 else { continue }
      let usual = Statistics.median(blocks)
      if let worst = blocks.indices.max(by: { blocks[$0] < blocks[$1] }),
        blocks[worst] > 6 * usual, blocks[worst] > 0.02
      {
        return response.rate.seconds(Double((worst + 1) * size - response.lead))
      }
    }
    return nil
  }
}
