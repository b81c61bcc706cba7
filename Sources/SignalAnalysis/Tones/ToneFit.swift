/// A tone with its harmonics and an offset, fitted to a window by least squares.
public struct ToneFit: Sendable, Equatable {
  /// The fundamental or a harmonic.
  public struct Component: Sendable, Equatable {
    /// The multiple of the fundamental's frequency: 1, 2, ...
    public let order: Int
    /// The frequency in hertz.
    public let frequency: Double
    /// The peak amplitude, in the signal's unit; of real and imaginary part the uncertainty alike.
    public let amplitude: Estimate
    /// The phase in radians of amplitude sin(2 pi f t + phase), t counted from frame 0 of the samples.
    public let phase: Estimate
  }

  /// The frequency of the fundamental in hertz; an uncertainty of zero where it was given.
  public let frequency: Estimate
  /// The fundamental and its harmonics, rising.
  public let components: [Component]
  /// The mean around which they swing.
  public let offset: Estimate
  /// The rms of what is left over, over its degrees of freedom.
  public let residual: Double

  /// The fundamental.
  public var fundamental: Component { components[0] }

  /// The total harmonic distortion: the root of the sum of squares of the harmonics over the fundamental.
  ///
  /// What noise adds to the squares is taken out. Zero with an infinite uncertainty where the
  /// fundamental is zero.
  public var distortion: Estimate {
    guard fundamental.amplitude.value > 0 else { return Estimate(0, uncertainty: .infinity) }
    return HarmonicSum.distortion(
      of: components.dropFirst().map(\.amplitude), over: fundamental.amplitude)
  }
}
