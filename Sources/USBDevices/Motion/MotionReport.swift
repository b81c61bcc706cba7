/// What an inertial sensor told at once.
struct MotionReport: Sendable {
  /// The sensor's counter at the newest sample, without wraps.
  var ticks: Int64
  /// Ticks from one sample to the next.
  var spacing: Int64 = 0
  /// Oldest first, m/s2 along x, y and z.
  var samples: [[Double]]
  /// Whether reports before it were lost.
  var isAfterLoss: Bool
  /// The host's clock when its transfer ended, in nanoseconds.
  var nanoseconds: UInt64
}
