/// The acceleration of a mass on a spring over the force on it, 1 at resonance.
public struct Resonance: Sendable, Equatable {
  /// f0 in hertz.
  public let frequency: Double
  /// The quality factor.
  public let q: Double

  /// Makes a resonance; both above 0.
  public init(frequency: Double, q: Double) {
    self.frequency = frequency
    self.q = q
  }

  /// The time constant with which it rings, in seconds.
  public var decayTime: Double { q / (.pi * frequency) }

  /// The response at a frequency in hertz, of a phase that is zero at resonance.
  public func response(at hertz: Double) -> Complex {
    let ratio = frequency / max(hertz, 1e-3)
    // s^2 / (s^2 + s w0 / Q + w0^2) over jQ, both parts divided by s^2.
    return Complex(1) / Complex(ratio, q * (1 - ratio * ratio))
  }
}
