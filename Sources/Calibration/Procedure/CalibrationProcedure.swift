import Profiles
import SignalAnalysis
import Units

/// A calibration as a value: it says what to play next and takes in what came of it.
///
/// The order is: rest, a faint first look, sweeps at small signal and at rising levels, the ceiling of
/// steady tones, taps, a grid of tones refined until its error stands, verification on points that nothing
/// was fitted to, and the small-signal sweep once more. A motor is run up in steps instead. Everything
/// played is inside the limits. Deterministic: the same responses give the same segments and the same
/// profile, so a stopped calibration goes on by feeding it what was recorded. Computing takes well under
/// 2 s in all.
public struct CalibrationProcedure: Sendable {
  /// How often a segment is played again before the calibration is given up.
  public static let repeatLimit = 3

  var subject: CalibrationSubject
  var stage = CalibrationStage.rest
  var knowledge = Knowledge()
  private var pending: (segment: CalibrationSegment, plan: SegmentPlan)?
  private var number = 0
  private var patience = SegmentPatience()

  /// Makes a calibration that has not begun.
  public init(subject: CalibrationSubject) { self.subject = subject }

  /// Where the calibration stands.
  public var progress: CalibrationProgress {
    let rest = subject.isMotor && stage == .rest ? (segments: 5, seconds: 51.0) : stage.rest
    let left = rest.segments + remountsLeft
    return CalibrationProgress(
      step: stage.name, number: number + min(1, left), total: number + left,
      level: pending?.segment.level ?? 0, remaining: rest.seconds)
  }

  private var remountsLeft: Int {
    switch stage {
    case .finished: 0
    case .remount(let index): subject.remounts - index
    default: subject.remounts
    }
  }

  /// The segment to play now; nil when the calibration is done.
  ///
  /// The same segment is given until its response is accepted.
  public mutating func next() throws(CalibrationRefusal) -> CalibrationSegment? {
    if let pending { return pending.segment }
    guard let draft = try draft() else { return nil }
    let segment = CalibrationSegment(
      number: number, purpose: draft.purpose, title: draft.title, volts: protected(draft.volts),
      rate: subject.rate, otherChannel: draft.otherChannel)
    pending = (segment, draft.plan)
    return segment
  }

  /// Takes in what a segment came to.
  ///
  /// Traps for a segment that is not the one given by `next`.
  ///
  /// - Parameters:
  ///   - response: What the sensors delivered.
  ///   - segment: The segment that was played.
  /// - Returns: Whether it counts, or is to be played again.
  /// - Throws: A refusal where the calibration cannot go on.
  public mutating func accept(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    guard let pending, pending.segment.number == segment.number else {
      preconditionFailure("a response to segment \(segment.number), which is not the one to play")
    }
    let verdict: SegmentVerdict
    switch pending.plan {
    case .silence: verdict = try acceptRest(response, to: segment)
    default:
      let intake = ResponseIntake(subject: subject, offsets: nil)
      let checked: Result<Capture, UnusableResponse>
      do {
        checked = try intake.capture(response, to: segment)
      } catch {
        guard error.code == .sensorClipped, isLowered(after: response) else { throw error }
        try patience.note(.accepted, of: segment)
        finish(segment)
        return .accepted
      }
      switch checked {
      case .failure(let failure): verdict = .again(because: failure.reason)
      case .success(let capture):
        if let drift = response.drift { knowledge.clocks.append(1e-6 * drift) }
        if let clock = response.clock { knowledge.clockOffsets.append(clock) }
        if let spread = response.delayUncertainty {
          knowledge.delaySpread = max(knowledge.delaySpread, spread)
        }
        try checkClock()
        verdict = try accept(capture, pending.plan, segment)
      }
    }
    try patience.note(verdict, of: segment)
    if verdict == .accepted { finish(segment) }
    return verdict
  }

  private mutating func finish(_ segment: CalibrationSegment) {
    pending = nil
    knowledge.suspect = nil
    knowledge.record = nil
    knowledge.elapsed += segment.duration
    knowledge.time.count(segment)
    number += 1
  }

  /// The profile with all that belongs to it, once `next` has given nil.
  public func outcome() -> CalibrationOutcome? {
    stage == .finished ? OutcomeAssembly(subject: subject, knowledge: knowledge).outcome : nil
  }

  /// A drive with the limits kept, whatever was asked.
  func protected(_ volts: [Float]) -> [Float] {
    var limiter = DriveLimiter(
      limits: subject.limits, fullScaleVolts: 1, rate: subject.rate.hertz)
    let peak = Float(subject.peakVolts)
    return volts.map { limiter.limit(max(-peak, min(peak, $0))) }
  }

  /// A sensor's clock may be off by percents; more is a wrong rate.
  private func checkClock() throws(CalibrationRefusal) {
    guard abs(knowledge.clock) < 0.06 else {
      throw CalibrationRefusal(
        .sensorRate,
        "the sensor's clock differs by \(text(100 * knowledge.clock)) % from the reference's: correct the "
          + "rate of the capture in the rig file")
    }
  }
}

/// A segment before it has a number.
struct SegmentDraft {
  var purpose: CalibrationSegment.Purpose
  var title: String
  var volts: [Float]
  var plan: SegmentPlan
  var otherChannel: Int?
}

extension CalibrationSubject {
  /// The highest voltage at any moment.
  var peakVolts: Double { min(fullScaleVolts, limits.peakVolts) }

  /// The highest peak of a tone that lasts, with room for the ripple of the thermal average.
  var steadyVolts: Double {
    0.98 * limits.safeFullScale(fullScaleVolts: fullScaleVolts, isTone: kind != "erm")
  }

  /// The highest peak of a tone at a frequency.
  func steadyVolts(at frequency: Double) -> Double {
    guard let slope = limits.slope else { return steadyVolts }
    return min(steadyVolts, slope / (2 * .pi * frequency))
  }

  /// What the sensor does between motion and samples.
  var filter: KnownFilter {
    sensorBandwidth.map { KnownFilter.butterworth(corner: $0) } ?? .none
  }

  /// Whether it is a motor with an eccentric mass.
  var isMotor: Bool { kind == "erm" }
}
