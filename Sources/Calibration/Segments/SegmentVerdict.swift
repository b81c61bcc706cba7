/// What a calibration makes of a segment's response.
public enum SegmentVerdict: Sendable, Equatable {
  /// It counts.
  case accepted
  /// It is played once more: the reason, in a sentence's words.
  case again(because: String)
}

/// Where a calibration stands.
public struct CalibrationProgress: Sendable, Equatable {
  /// The step's name as a person reads it.
  public let step: String
  /// The number of the segment from 1, one more from each that counts to the next.
  public let number: Int
  /// How many segments it will be in all, as far as it can be told.
  public let total: Int
  /// The drive's peak of the segment under way, in volts.
  public let level: Double
  /// Rig time still to come, in seconds, as far as it can be told.
  public let remaining: Double

  /// Makes a progress.
  public init(step: String, number: Int, total: Int, level: Double, remaining: Double) {
    self.step = step
    self.number = number
    self.total = total
    self.level = level
    self.remaining = remaining
  }
}
