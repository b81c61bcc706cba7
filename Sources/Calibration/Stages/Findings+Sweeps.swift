import Actuators
import Profiles
import SignalAnalysis

extension Findings {
  /// The sweep that is played once more at the end, as a share of the highest.
  static let closingShare = 0.25
  /// The share of what may last below which no sweep is tried.
  private static let faintest = 1e-4

  /// Whether a sweep that made the sensor clip can be played with less.
  var canSweepFainter: Bool { sweepVolts > Self.faintest * subject.steadyVolts }

  /// The resonances as the first look has them.
  var coarseModes: [(frequency: Double, q: Double)] {
    sweeps.coarse?.model.modes.map { ($0.frequency.value, $0.q.value) } ?? []
  }

  /// The level of the sweep that is played once more: no higher than one that counted.
  private var closingLevel: Double {
    let wanted = Self.closingShare * sweepVolts
    let played = sweeps.all.filter { $0.direction == .up }.map(\.level)
    return played.filter { $0 < 1.001 * wanted }.max() ?? played.min() ?? wanted
  }

  /// A faint sweep that looks for a resonance of which nothing is known.
  func searchDraft(share: Double) -> SegmentDraft<SweepPlan> {
    let plan = SweepPlan.search(
      level: share * sweepVolts, rate: subject.rate, isPiezo: subject.isPiezo)
    return draft(plan, purpose: .wake, title: "faint sweep")
  }

  /// A sweep by the resonances that are known so far.
  func sweepDraft(
    level: Double, _ direction: SynchronizedSweep.Direction, purpose: CalibrationSegment.Purpose
  ) -> SegmentDraft<SweepPlan> {
    let plan = SweepPlan.identification(
      near: coarseModes, level: level, direction: direction, rate: subject.rate)
    return draft(plan, purpose: purpose, title: direction == .up ? "sweep up" : "sweep down")
  }

  /// The small-signal sweep once more.
  func closingDraft(purpose: CalibrationSegment.Purpose) -> SegmentDraft<SweepPlan> {
    sweepDraft(level: closingLevel, .up, purpose: purpose)
  }

  private func draft(
    _ plan: SweepPlan, purpose: CalibrationSegment.Purpose, title: String
  ) -> SegmentDraft<SweepPlan> {
    let kept = plan.with(level: plan.level(keeping: subject.limits.slope))
    return SegmentDraft(
      purpose: purpose, title: "\(title), \(text(kept.sweep.amplitude)) V",
      volts: kept.volts(at: subject.rate), plan: kept)
  }

  /// Reads a small-signal sweep that is compared with an earlier one.
  func closingReading(
    _ answer: SegmentAnswer, _ plan: SweepPlan
  ) -> Result<SweepReading, SweepFailure> {
    SweepReading.measure(
      plan, answer.capture, output: answer.capture.output(along: motion.weights),
      segment: answer.segment.number, filter: subject.filter, modes: 1...1, noise: motion.noise,
      known: sweeps.coarse?.model)
  }

  /// What follows where it cannot be read.
  func closingFailed(
    _ failure: SweepFailure, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> StageStep {
    if failure == .dead {
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator no longer answers in '\(segment.title)': check its wiring and the amplifier")
    }
    return .again(because: "'\(segment.title)' could not be read")
  }
}

extension SweepPlan {
  /// The same sweep at another amplitude.
  func with(level: Double) -> SweepPlan {
    SweepPlan(
      sweep: SynchronizedSweep(
        band: sweep.band, duration: sweep.duration, amplitude: level, direction: sweep.direction),
      silence: silence, cutsRing: cutsRing)
  }
}
