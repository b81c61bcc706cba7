private import Glibc

/// The free decay of a resonator: x(t) = c + A exp(-t / decay) cos(2 pi fd t + phase).
public struct RingDown: Sendable, Equatable {
  /// The frequency of resonance f0 = fd / sqrt(1 - 1 / 4 Q^2) in hertz.
  public let frequency: Estimate
  /// The quality factor, from pi fd decay = sqrt(Q^2 - 1/4).
  public let q: Estimate
  /// The time constant of the envelope in seconds, Q / (pi f0).
  public let decayTime: Estimate
  /// The frequency at which it rings, fd, in hertz.
  public let ringingFrequency: Estimate
  /// The amplitude at the first frame of the window.
  public let amplitude: Estimate
  /// The rms of what is left over.
  public let residual: Double
  /// The quality factor by logarithmic decrement of the crests; nil where fewer than two stand out.
  ///
  /// An independent, coarser look at the same ring: more than 5 % apart, the ring is not a plain one.
  public let decrementQ: Estimate?

  /// How far the two quality factors are apart, as a share; nil where there is one alone.
  public var disagreement: Double? { decrementQ.map { abs($0.value / q.value - 1) } }
}
