/// A filter between motion and samples that is known beforehand, so that its delay is not the rig's.
public enum KnownFilter: Sendable, Equatable {
  /// No filter in the band.
  case none
  /// A second-order low-pass: corner in hertz and Q; 1/sqrt(2) is Butterworth, -3 dB at the corner.
  case secondOrderLowPass(corner: Double, q: Double)

  /// A Butterworth low-pass of the second order with its -3 dB corner in hertz.
  public static func butterworth(corner: Double) -> KnownFilter {
    .secondOrderLowPass(corner: corner, q: 0.5.squareRoot())
  }

  /// The response at a frequency in hertz: wc^2 / (s^2 + s wc / q + wc^2) with s = j 2 pi f.
  public func response(at frequency: Double) -> Complex {
    switch self {
    case .none: Complex(1)
    case .secondOrderLowPass(let corner, let q):
      Complex(1) / Complex(1 - (frequency / corner) * (frequency / corner), frequency / corner / q)
    }
  }
}
