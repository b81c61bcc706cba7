import SignalAnalysis

/// How the rig time of a calibration is shared out: at most a minute, however long the actuator rings.
struct RigTime: Sendable, Equatable {
  /// What a calibration takes at most, in seconds, repeats and remounting apart.
  static let total = 57.5
  /// What a segment takes besides its drive: markers, the silence around, the longest delay of a rig.
  static let overhead = 0.62
  /// What the sweeps of the identification may take together.
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

  /// Counts a segment that was accepted.
  mutating func count(_ segment: CalibrationSegment) {
    drive += segment.duration
    elapsed += segment.duration + Self.overhead
  }
}
