public import Actuators
private import Glibc

/// How a tap is drawn for an actuator that has a profile.
///
/// a(t) = A sin(2 pi (f t + phase)) (1 + cos(pi t / T)) / 2 for 0 <= t < T. A tap that starts at its
/// crest, a quarter of a turn, is as strong at once as it will ever be, and its velocity swings around
/// zero: no displacement has to be dragged along and brought back, which is what would take most of the
/// voltage below a resonance, and bend the tap.
public struct TapShape: Sendable, Equatable {
  /// The length T, in seconds.
  public let length: Double
  /// Where the carrier starts, in turns.
  public let phase: Double

  /// Makes a shape.
  public init(length: Double, phase: Double = 0.25) {
    self.length = length
    self.phase = phase
  }

  /// The acceleration at a time after the start, as a share of the amplitude.
  public func value(at time: Double, frequency: Double) -> Double {
    guard time >= 0, time < length else { return 0 }
    return sin(2 * .pi * (frequency * time + phase)) * 0.5 * (1 + cos(.pi * time / length))
  }
}

extension DriveLimits {
  /// The shape of taps of a length in seconds: from their crest, or from zero where a slope is limited.
  public func tapShape(length: Double) -> TapShape {
    TapShape(length: length, phase: slope == nil ? 0.25 : 0)
  }
}
