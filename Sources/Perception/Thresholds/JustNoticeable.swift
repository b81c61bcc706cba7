private import Glibc

/// Differences that people just notice, as numbers to divide errors by.
public enum JustNoticeable {
  /// A level, in dB (Israr and Tan 2006).
  public static let level = 2.2
  /// A frequency, as a ratio less one (Israr and Tan 2006).
  public static let frequency = 0.18
  /// An audio-tactile offset, in seconds (Adelstein 2003).
  public static let audioHaptic = 24e-3

  /// Level and frequency errors together: the root of the sum of squares, each in its own unit.
  public static func consistency(levelError: Double, frequencyRatio: Double) -> Double {
    let level = abs(levelError) / level
    let frequency = abs(log(frequencyRatio)) / log(1 + frequency)
    return (level * level + frequency * frequency).squareRoot()
  }
}
