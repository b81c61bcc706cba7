// SPDX-License-Identifier: Apache-2.0

import Perception
import SignalAnalysis

/// How the rig time of a calibration is shared out: at most a minute, however long the actuator rings.
struct RigTime: Sendable {
  /// What a calibration takes at most, in seconds, repeats and remounting apart.
  static let total = 57.5
  /// What a segment takes besides its drive: markers, the silence around, the longest delay of a rig.
  static let overhead = 0.62
  static let sweeps = 18.0

  /// Levels and directions of the sweeps, as shares of what may last: the most that may be afforded.
  static let sweepLists: [[(share: Double, direction: SynchronizedSweep.Direction)]] = [
    [
      (0.06, .up), (0.06, .down), (0.12, .up), (0.12, .down), (0.25, .up), (0.25, .down),
      (0.5, .up), (0.5, .down), (1, .up),
    ],
    [
      (0.12, .up), (0.12, .down), (0.25, .up), (0.25, .down), (0.5, .up), (0.5, .down), (1, .up),
    ],
    [(0.12, .up), (0.25, .up), (0.25, .down), (0.5, .up), (1, .up)],
  ]
  /// Where the sensor bears next to nothing of what may last, all of it is small signal.
  static let faintSweeps: [(share: Double, direction: SynchronizedSweep.Direction)] = [
    (0.25, .up), (0.25, .down), (0.5, .up), (0.5, .down), (1, .up), (1, .down),
  ]

  /// What was played and counted so far, in seconds.
  private(set) var elapsed = 0.0
  /// The drive of it, without what stands around the segments.
  private(set) var drive = 0.0

  mutating func count(_ segment: CalibrationSegment) {
    drive += segment.duration
    elapsed += segment.duration + Self.overhead
  }
}

enum TimedStage: CaseIterable {
  case ceiling
  case taps
  case grid
  case verification
  case tapVerification
  case pattern
  case closing

  static func from(_ first: TimedStage) -> [TimedStage] {
    Array(allCases.drop { $0 != first })
  }
}

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
  private static let usual = (ceiling: 13.0, taps: 12.0, grid: 38.0, verification: 36.0)

  /// What rings longest, in hertz, and the time in which it falls by the factor e, in seconds; nil before any
  /// resonance is known.
  var longestRing: (frequency: Double, decay: Double)? {
    let known =
      resonance.map {
        [$0.limit, $0.second].compactMap(\.self).map { ($0.frequency.value, $0.q.value) }
      } ?? coarseModes
    return known.map { ($0, $1 / (.pi * $0)) }.max { $0.1 < $1.1 }
  }

  /// The time in which a ringing falls by the factor e, in seconds: of two modes that of the longer one.
  var decay: Double { longestRing?.decay ?? Self.decays.unknown }

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

  var ceilingSettling: Double { settling(decayTimes: 5, atMost: 0.2) }

  var gridSettling: Double { settling(decayTimes: 4, atMost: 0.2) }

  /// How long verified tones are given: what is promised must stand longer than what is searched by.
  var verificationSettling: Double { settling(decayTimes: 4, atMost: 0.3) }

  /// Room for a tap and what rings on, in seconds.
  var tapSpacing: Double { TapPlan.length + max(0.1, settling(decayTimes: 5, atMost: 0.25)) }

  var verifiedTapSpacing: Double { max(0.2, tapSpacing) }

  var plannedSweeps: [(share: Double, direction: SynchronizedSweep.Direction)] {
    if sweepVolts < Self.faintSweeps * subject.steadyVolts { return RigTime.faintSweeps }
    let one = identificationSweep
    let length = one.sweep.duration + one.silence + RigTime.overhead
    let lists = RigTime.sweepLists
    return lists.first { Double($0.count) * length <= RigTime.sweeps } ?? lists[lists.count - 1]
  }

  private var identificationSweep: SweepPlan {
    SweepPlan.identification(near: coarseModes, level: 1, direction: .up, rate: subject.rate)
  }

  func hasTime(for seconds: Double, before stages: [TimedStage]) -> Bool {
    let ahead = stages.reduce(0) { $0 + duration(of: $1) }
    return time.elapsed + seconds + RigTime.overhead + ahead <= RigTime.total
  }

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
