private import Glibc

/// How a transient is drawn: a burst whose strength falls as half a raised cosine.
///
/// a(t) = A sin(2 pi f t) (1 + cos(pi t / T)) / 2 for 0 <= t < T. It starts at full strength, ends at
/// zero with zero slope, and is a sum of three sines, so that it renders by recurrence.
public struct TransientShape: Sendable, Equatable {
  /// The length T in seconds.
  public let length: Double

  /// Makes a shape.
  public init(length: Double) {
    precondition(length > 0, "a transient needs a length, not \(length) s")
    self.length = length
  }

  /// 22 ms, as MPEG's reference software draws a transient.
  public static let standard = TransientShape(length: 22e-3)

  /// The name that records carry.
  public var name: String { "half-hann \(length) s" }

  /// The share of the amplitude at an age in seconds: (1 + cos(pi t / T)) / 2 in the burst, else 0.
  public func weight(at age: Double) -> Double {
    age >= 0 && age < length ? 0.5 * (1 + cos(.pi * age / length)) : 0
  }
}
