import Perception
import SignalAnalysis
import Units

/// Silence: what the sensors show at rest.
///
/// What comes after the silence are markers that the reference alone carries.
struct RestStage: CalibrationStage {
  /// Whether a motor is on the rig, which takes other stages.
  let isMotor: Bool

  /// The silence in seconds.
  private static let length = 1.0

  var name: String { "listening at rest" }
  var ahead: StageOutlook { StageOutlook(isMotor ? 5 : 20, seconds: 51) }

  func draft(_ findings: inout Findings) -> SegmentDraft<Void>? {
    let count = findings.subject.rate.wholeFrames(Self.length)
    return SegmentDraft(
      purpose: .quiet, title: "silence", volts: [Float](repeating: 0, count: count), plan: ())
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: Void, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let response = answer.response
    let end = response.lead + answer.segment.volts.count
    let quiet = response.limited(to: 0..<end)
    if let time = RestCheck.disturbance(quiet) {
      return .again(because: "something shook the rig \(text(time)) s into the silence")
    }
    let subject = findings.subject
    let check = try RestCheck(
      quiet, contour: subject.target.contour, sensorUncertainty: subject.sensorUncertainty)
    findings.clock.learn(fromRest: response)
    findings.rest = RestFindings(
      check: check, markers: MarkerEcho(response, from: end, offsets: check.offsets),
      axisNames: response.axes.map(\.name))
    findings.notes += check.notes
    findings.motion = MotionFindings(
      weights: check.offsets.indices.map { $0 == 0 ? 1 : 0 }, rest: check)
    return .next(isMotor ? MotorStartStage() : WakeStage(attempt: 0))
  }
}

extension RestCheck {
  /// The stretches that a silence is looked at in, in seconds.
  private static let stretch = 0.020
  /// The fewest stretches of which the usual one can be told.
  private static let fewestStretches = 8
  /// How many times the usual strength, and how many m/s2 rms, a stretch has where something shook the rig.
  private static let shaken = (times: 6.0, acceleration: 0.02)

  /// When a quiet stretch was not quiet: a stretch far above the usual one, in seconds.
  static func disturbance(_ response: SegmentResponse) -> Double? {
    let size = max(16, Int(response.rate.frames(stretch)))
    for axis in response.axes {
      let band = BandPass(band(response.rate)).apply(
        to: axis.samples.map { $0 - (axis.samples.first ?? 0) }, rate: response.rate)
      let blocks = Swift.stride(from: size, to: band.count - 2 * size, by: size).map { start in
        (band[start..<start + size].reduce(0) { $0 + $1 * $1 } / Double(size)).squareRoot()
      }
      guard blocks.count > fewestStretches else { continue }
      let usual = Statistics.median(blocks)
      if let worst = blocks.indices.max(by: { blocks[$0] < blocks[$1] }),
        blocks[worst] > shaken.times * usual, blocks[worst] > shaken.acceleration
      {
        return response.rate.seconds(Double((worst + 1) * size - response.lead))
      }
    }
    return nil
  }
}
