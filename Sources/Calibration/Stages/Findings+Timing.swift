import Perception
import SignalAnalysis

/// The stages whose time is shared out before they begin.
enum TimedStage: CaseIterable {
  case ceiling
  case taps
  case grid
  case verification
  case tapVerification
  case pattern
  case closing

  /// The stages from one on.
  static func from(_ first: TimedStage) -> [TimedStage] {
    Array(allCases.drop { $0 != first })
  }
}

/// How long tones and taps take, by how long the actuator rings.
extension Findings {
  /// How long a tone is given to become steady at least, and where no resonance is known, in seconds.
  private static let leastSettling = 0.03
  /// The decay in seconds above which tones are brought to their level by the inverse, and the one that is
  /// assumed before any is known.
  private static let decays = (long: 0.03, unknown: 0.01)
  /// How long a tone is measured, in seconds, where there is noise and where there is none.
  private static let windows = (noisy: 0.22, quiet: 0.14)
  /// The share of a faint vibration's acceleration from which on there is noise.
  private static let noiseShare = 0.05
  /// The faint vibration: dB above threshold and hertz.
  private static let faint = (level: 10.0, frequency: 150.0)
  /// The share of what may last below which all sweeps are of a small signal.
  private static let faintSweeps = 0.2
  /// What markers and fades add to a segment, in seconds.
  private static let edges = 0.1
  /// How many tones, or taps, each stage usually has.
  private static let usual = (ceiling: 13.0, taps: 12.0, grid: 38.0, verification: 36.0)

  /// The time in which a ringing falls by the factor e, in seconds.
  var decay: Double {
    if let limit = resonance?.limit { return limit.q.value / (.pi * limit.frequency.value) }
    return sweeps.coarse.map { $0.mode.q.value / (.pi * $0.mode.frequency.value) }
      ?? Self.decays.unknown
  }

  /// Whether tones are brought to their level by the inverse, for else they would take too long.
  var ringsLong: Bool { decay > Self.decays.long }

  /// How long a tone is given to become steady: some decay times of the resonance, up to a bound.
  func settling(decayTimes: Double, atMost longest: Double) -> Double {
    sweeps.coarse == nil
      ? Self.leastSettling : max(Self.leastSettling, min(longest, decayTimes * decay))
  }

  /// How long a tone is measured: some periods of the lowest, and longer where there is noise.
  var window: Double {
    let faintest = subject.target.contour.acceleration(
      sensationLevel: Self.faint.level, at: Self.faint.frequency)
    return motion.noise > Self.noiseShare * faintest ? Self.windows.noisy : Self.windows.quiet
  }

  /// How long tones of the ceiling search are given to become steady, in seconds.
  var ceilingSettling: Double { settling(decayTimes: 5, atMost: 0.2) }

  /// How long tones of the grid are given.
  var gridSettling: Double { settling(decayTimes: 4, atMost: 0.2) }

  /// How long verified tones are given: what is promised must stand longer than what is searched by.
  var verificationSettling: Double { settling(decayTimes: 4, atMost: 0.3) }

  /// Room for a tap and what rings on, in seconds.
  var tapSpacing: Double { TapPlan.length + max(0.1, settling(decayTimes: 5, atMost: 0.25)) }

  /// The same for taps that are verified.
  var verifiedTapSpacing: Double { max(0.2, tapSpacing) }

  /// The sweeps of the identification: as many as their length allows.
  var plannedSweeps: [(share: Double, direction: SynchronizedSweep.Direction)] {
    if sweepVolts < Self.faintSweeps * subject.steadyVolts { return RigTime.faintSweeps }
    let one = identificationSweep
    let length = one.sweep.duration + one.silence + RigTime.overhead
    let lists = RigTime.sweepLists
    return lists.first { Double($0.count) * length <= RigTime.sweeps } ?? lists[lists.count - 1]
  }

  /// A sweep of the identification, by which lengths are told.
  private var identificationSweep: SweepPlan {
    SweepPlan.identification(near: coarseModes, level: 1, direction: .up, rate: subject.rate)
  }

  /// Whether there is time for something beside what is still to come.
  func hasTime(for seconds: Double, before stages: [TimedStage]) -> Bool {
    let ahead = stages.reduce(0) { $0 + duration(of: $1) }
    return time.elapsed + seconds + RigTime.overhead + ahead <= RigTime.total
  }

  /// About how long a stage takes, in seconds.
  func duration(of stage: TimedStage) -> Double {
    let drive: Double
    switch stage {
    case .ceiling: drive = Self.usual.ceiling * (ceilingSettling + window)
    case .taps: drive = Self.usual.taps * tapSpacing
    case .grid: drive = Self.usual.grid * (gridSettling + window)
    case .verification: drive = Self.usual.verification * (verificationSettling + window)
    case .tapVerification: drive = Self.usual.taps * verifiedTapSpacing + RigTime.overhead
    case .pattern: drive = PatternPlan.duration
    case .closing:
      let plan = identificationSweep
      drive = plan.sweep.duration + plan.silence
    }
    return drive + Self.edges + RigTime.overhead
  }
}
