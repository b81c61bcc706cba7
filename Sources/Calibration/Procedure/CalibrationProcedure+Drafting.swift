import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// The levels of the first look, as shares of what may last.
  static let wakeShares = [0.03, 0.1, 0.3]
  /// How many more pairs may be played where noise asks for it.
  static let extraSweeps = 8
  /// The sweep that is played once more at the end.
  static let closingShare = 0.25

  /// The highest drive of the sweeps: what may last, or what the sensor bears of it.
  var sweepVolts: Double { min(subject.steadyVolts, knowledge.sweepVolts ?? .infinity) }

  /// The level of the sweep that is played once more: no higher than one that counted.
  private var closingLevel: Double {
    let wanted = Self.closingShare * sweepVolts
    let played = knowledge.sweeps.filter { $0.direction == .up }.map(\.level)
    return played.filter { $0 < 1.001 * wanted }.max() ?? played.min() ?? wanted
  }

  /// What is to be played at this stage; nil when all is done.
  mutating func draft() throws(CalibrationRefusal) -> SegmentDraft? {
    switch stage {
    case .rest:
      return SegmentDraft(
        purpose: .quiet, title: "silence",
        volts: [Float](repeating: 0, count: subject.rate.wholeFrames(1)), plan: .silence)
    case .wake(let attempt): return wakeDraft(share: Self.wakeShares[attempt])
    case .otherChannel(let index):
      var draft = wakeDraft(share: 0.1)
      let channel = subject.otherChannels[index]
      draft.purpose = .crossed
      draft.title = "faint sweep on channel \(channel)"
      draft.otherChannel = channel
      return draft
    case .sweep(let index): return sweepDraft(index)
    case .closing where knowledge.piezo != nil:
      var draft = wakeDraft(share: knowledge.piezoLevel / sweepVolts)
      draft.purpose = .closing
      return draft
    case .diagnosis, .closing:
      return sweepDraft(level: closingLevel, .up, purpose: .closing)
    case .turning: return kindDraft()
    case .amplifier: return amplifierDraft()
    case .ceiling: return ceilingDraft()
    case .taps: return tapTrialDraft()
    case .grid: return gridDraft()
    case .verification: return verificationDraft()
    case .tapVerification(let round): return tapVerificationDraft(round)
    case .pattern: return patternDraft()
    case .remount: return sweepDraft(level: closingLevel, .up, purpose: .remount)
    case .motorStart: return motorStartDraft()
    case .motorSteps: return motorStepsDraft(purpose: .steps)
    case .motorVerification: return motorVerificationDraft()
    case .motorClosing: return motorStepsDraft(purpose: .closing)
    case .finished: return nil
    }
  }

  private func wakeDraft(share: Double) -> SegmentDraft {
    let plan = SweepPlan.search(
      level: share * sweepVolts, rate: subject.rate, isPiezo: subject.kind == "piezo")
    return sweepDraft(plan, purpose: .wake, title: "faint sweep")
  }

  private func sweepDraft(_ index: Int) -> SegmentDraft {
    let planned = plannedSweeps
    let (share, direction) = index < planned.count ? planned[index] : extra(index - planned.count)
    return sweepDraft(
      level: share * sweepVolts, direction, purpose: share <= 0.25 ? .smallSignal : .level)
  }

  private func extra(_ index: Int) -> (Double, SynchronizedSweep.Direction) {
    (index % 4 < 2 ? 0.5 : 0.25, index.isMultiple(of: 2) ? .up : .down)
  }

  private func sweepDraft(
    level: Double, _ direction: SynchronizedSweep.Direction, purpose: CalibrationSegment.Purpose
  ) -> SegmentDraft {
    let plan = SweepPlan.identification(
      near: coarseModes, level: level, direction: direction, rate: subject.rate)
    return sweepDraft(plan, purpose: purpose, title: direction == .up ? "sweep up" : "sweep down")
  }

  private func sweepDraft(
    _ plan: SweepPlan, purpose: CalibrationSegment.Purpose, title: String
  ) -> SegmentDraft {
    let kept = plan.with(level: plan.level(keeping: subject.limits.slope))
    return SegmentDraft(
      purpose: purpose, title: "\(title), \(text(kept.sweep.amplitude)) V",
      volts: kept.volts(at: subject.rate), plan: .sweep(kept))
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
