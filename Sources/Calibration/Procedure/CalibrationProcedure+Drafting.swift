import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// The levels of the first look, as shares of what may last.
  static let wakeShares = [0.03, 0.1, 0.3]
  /// Levels and directions of the sweeps, as shares of what may last.
  static let sweepShares: [(share: Double, direction: SynchronizedSweep.Direction)] = [
    (0.06, .up), (0.06, .down), (0.12, .up), (0.12, .down), (0.25, .up), (0.25, .down),
    (0.5, .up), (0.5, .down), (1, .up),
  ]
  /// How many more pairs may be played where noise asks for it.
  static let extraSweeps = 8
  /// The sweep that is played once more at the end.
  static let closingShare = 0.25

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
      var draft = wakeDraft(share: 0.1)
      draft.purpose = .closing
      return draft
    case .diagnosis, .closing:
      return sweepDraft(share: Self.closingShare, .up, purpose: .closing)
    case .ceiling: return ceilingDraft()
    case .taps: return tapTrialDraft()
    case .grid: return gridDraft()
    case .verification: return verificationDraft()
    case .tapVerification: return tapVerificationDraft()
    case .motorStart: return motorStartDraft()
    case .motorSteps: return motorStepsDraft(purpose: .steps)
    case .motorVerification: return motorVerificationDraft()
    case .motorClosing: return motorStepsDraft(purpose: .closing)
    case .finished: return nil
    }
  }

  private func wakeDraft(share: Double) -> SegmentDraft {
    let plan = SweepPlan.search(
      level: share * subject.steadyVolts, rate: subject.rate, isPiezo: subject.kind == "piezo")
    return sweepDraft(plan, purpose: .wake, title: "faint sweep")
  }

  private func sweepDraft(_ index: Int) -> SegmentDraft {
    let planned = Self.sweepShares
    let (share, direction) = index < planned.count ? planned[index] : extra(index - planned.count)
    return sweepDraft(share: share, direction, purpose: share <= 0.25 ? .smallSignal : .level)
  }

  private func extra(_ index: Int) -> (Double, SynchronizedSweep.Direction) {
    (index % 4 < 2 ? 0.5 : 0.25, index.isMultiple(of: 2) ? .up : .down)
  }

  private func sweepDraft(
    share: Double, _ direction: SynchronizedSweep.Direction, purpose: CalibrationSegment.Purpose
  ) -> SegmentDraft {
    let mode = knowledge.coarse?.mode
    let plan = SweepPlan.identification(
      near: mode?.frequency.value ?? 200, q: mode?.q.value ?? 1,
      level: share * subject.steadyVolts, direction: direction, rate: subject.rate)
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
      silence: silence)
  }
}
