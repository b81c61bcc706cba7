private import Glibc

/// A stretch of one event's intent in exact form: what it asks for as polynomials of time.
///
/// Times are seconds of the pattern. At a time t of start..<end the event asks for the intensity
/// `intensity.value(at: t - start)`, for the sharpness `sharpness.value(at: t - start)`, both 0...1 up
/// to rounding, and for the share `weight.value(at: t)` of the amplitude. So any integral over the
/// stretch can be worked out without sampling.
public struct IntentSegment: Sendable, Equatable {
  /// constant + linear x + square x^2.
  public struct Polynomial: Sendable, Equatable {
    /// The value at 0.
    public let constant: Double
    /// The slope at 0, per second.
    public let linear: Double
    /// Half the curvature, per second squared.
    public let square: Double

    /// The value at an age in seconds from the segment's start.
    public func value(at age: Double) -> Double { constant + age * (linear + age * square) }
  }

  /// The shape of a tap, or what it leaves of a vibration: base + swing (1 + cos(pi (t - origin) / length)) / 2.
  ///
  /// A tap has base 0 and swing 1, a vibration base 1 and swing 0, one under a tap that ducks it to d
  /// base 1 and swing d - 1.
  public struct Weight: Sendable, Equatable {
    /// The share where the cosine is at its lowest.
    public let base: Double
    /// What the raised cosine adds at its highest.
    public let swing: Double
    /// Where the cosine begins, in seconds of the pattern.
    public let origin: Double
    /// Half a period of the cosine, in seconds.
    public let length: Double

    /// The share of the amplitude at a time in seconds of the pattern.
    public func value(at time: Double) -> Double {
      swing == 0 ? base : base + swing * (0.5 * (1 + cos(.pi * (time - origin) / length)))
    }
  }

  /// Where it begins, in seconds of the pattern.
  public let start: Double
  /// Where the next begins, or the event ends, in seconds of the pattern.
  public let end: Double
  /// The intensity: of degree 2 at most, a line of the control times a line of the envelope.
  public let intensity: Polynomial
  /// The sharpness: of degree 1 at most.
  public let sharpness: Polynomial
  /// The share of the amplitude that the tap's shape, or ducking, leaves.
  public let weight: Weight
}
