private import Glibc

/// What a system answers to a synchronized sweep: its linear response and its harmonics.
public struct SweepResponse: Sendable, Equatable {
  /// The response at one multiple of the excited frequency.
  public struct Harmonic: Sendable, Equatable {
    /// The multiple n.
    public let order: Int
    /// The harmonic over the input's fundamental, at the frequency of the harmonic itself.
    ///
    /// At f it is the complex amplitude of the component at f while the input is excited at f / n,
    /// over the input's, counted in sines: sin(p) answered by c sin(n p + q) gives c exp(j q).
    public let transfer: TransferFunction
  }

  /// The sweep that was played.
  public let sweep: SynchronizedSweep
  /// The linear response over the band of the sweep.
  public let linear: TransferFunction
  /// The harmonics from the second on, as far as the band reaches.
  public let harmonics: [Harmonic]
  /// How the impulse response was cut up.
  let gates: SweepGates

  /// The impulse response with the harmonics' impulse responses before it (after it for a sweep down).
  public var impulse: ImpulseResponse { gates.division.impulse }

  /// The total harmonic distortion at an excited frequency in hertz, as a share of the fundamental.
  ///
  /// The root of the sum of squares of the harmonics that lie in the band, less what noise adds to it,
  /// over the linear response. Nil where not even the second harmonic lies in the band.
  public func distortion(at frequency: Double) -> Estimate? {
    guard let fundamental = linear.magnitude(at: frequency), fundamental.value > 0 else {
      return nil
    }
    let parts = harmonics.compactMap {
      $0.transfer.magnitude(at: Double($0.order) * frequency)
    }
    return parts.isEmpty ? nil : HarmonicSum.distortion(of: parts, over: fundamental)
  }
}
