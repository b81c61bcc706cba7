import SignalAnalysis

extension CalibrationProcedure {
  /// The time in which a ringing falls by the factor e, in seconds.
  var decay: Double {
    if let limit = knowledge.limit { return limit.q.value / (.pi * limit.frequency.value) }
    return knowledge.coarse.map { $0.mode.q.value / (.pi * $0.mode.frequency.value) } ?? 0.01
  }

  /// Whether tones are brought to their level by the inverse, for else they would take too long.
  var ringsLong: Bool { decay > 0.03 }

  /// The sweeps of the identification: as many as their length allows.
  var plannedSweeps: [(share: Double, direction: SynchronizedSweep.Direction)] {
    if sweepVolts < 0.2 * subject.steadyVolts { return RigTime.faintSweeps }
    let one = identificationSweep
    let length = one.sweep.duration + one.silence + RigTime.overhead
    let lists = RigTime.sweepLists
    return lists.first { Double($0.count) * length <= RigTime.sweeps } ?? lists[lists.count - 1]
  }

  /// A sweep of the identification, by which lengths are told.
  private var identificationSweep: SweepPlan {
    SweepPlan.identification(near: coarseModes, level: 1, direction: .up, rate: subject.rate)
  }

  /// The resonances as the first look has them.
  var coarseModes: [(frequency: Double, q: Double)] {
    knowledge.coarse?.model.modes.map { ($0.frequency.value, $0.q.value) } ?? []
  }

  /// Whether there is time for something beside what is still to come.
  func hasTime(for seconds: Double, before steps: [RigTimeStep]) -> Bool {
    let ahead = steps.reduce(0) { $0 + duration(of: $1) }
    return knowledge.time.elapsed + seconds + RigTime.overhead + ahead <= RigTime.total
  }

  /// About how long a step takes, in seconds.
  func duration(of step: RigTimeStep) -> Double {
    let drive: Double
    switch step {
    case .ceiling: drive = 13 * (settling(decayTimes: 5, atMost: 0.2) + window)
    case .taps: drive = 12 * tapSpacing
    case .grid: drive = 38 * (gridSettling + window)
    case .verification: drive = 36 * (verificationSettling + window)
    case .tapVerification: drive = 12 * max(0.2, tapSpacing) + RigTime.overhead
    case .pattern: drive = PatternPlan.duration
    case .closing:
      let plan = identificationSweep
      drive = plan.sweep.duration + plan.silence
    }
    return drive + 0.1 + RigTime.overhead
  }

  /// How long tones of the grid are given to become steady, in seconds.
  var gridSettling: Double { settling(decayTimes: 4, atMost: 0.2) }

  /// How long verified tones are given: what is promised must stand longer than what is searched by.
  var verificationSettling: Double { settling(decayTimes: 4, atMost: 0.3) }
}

/// What is still to come when time is shared out.
enum RigTimeStep: CaseIterable {
  case ceiling
  case taps
  case grid
  case verification
  case tapVerification
  case pattern
  case closing

  /// The steps from one on.
  static func from(_ first: RigTimeStep) -> [RigTimeStep] {
    Array(allCases.drop { $0 != first })
  }
}
