private import Glibc
public import Units

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

/// A delay and a second-order resonator: what an actuator on a rig does to its drive.
///
/// H(f) = exp(-j 2 pi f d) (g/Q) s^2 / (s^2 + s w0/Q + w0^2) K(f), s = j 2 pi f, w0 = 2 pi f0: volts in,
/// acceleration out; |H(f0)| = |g| for a known filter K of 1.
public struct ResonatorModel: Sendable, Equatable {
  /// The pure delay d in seconds, without the known filter's own.
  public let delay: Estimate
  /// The frequency of resonance f0 in hertz.
  public let frequency: Estimate
  /// The quality factor Q.
  public let q: Estimate
  /// The gain g at resonance, in m/s2 per volt where those are the units; negative for turned polarity.
  public let gain: Estimate
  /// The filter K that was given.
  public let knownFilter: KnownFilter
  /// The correlation coefficient of the errors of f0 and Q (of their logarithms).
  public let correlationOfFrequencyAndQ: Double
  /// How well the model explains what it was fitted to; nil for a model that was not fitted.
  public let quality: Quality?

  /// How well a model explains a measured response.
  public struct Quality: Sendable, Equatable {
    /// The rms of what the model leaves over, noise included, over the rms of the response, in band.
    public let residual: Double
    /// The same less what the given noise explains.
    public let misfit: Double
    /// The share of the response's energy that the model explains, 0 to 1: like a mean coherence.
    public let explained: Double
    /// Chi-square over degrees of freedom: 1 where nothing but the given noise is left over.
    public let reducedChiSquare: Double
  }

  /// Makes a model from its parameters.
  ///
  /// Traps unless the frequency and Q are above zero.
  public init(
    delay: Estimate, frequency: Estimate, q: Estimate, gain: Estimate,
    knownFilter: KnownFilter = .none, correlationOfFrequencyAndQ: Double = 0,
    quality: Quality? = nil
  ) {
    precondition(frequency.value > 0 && q.value > 0, "a resonator at \(frequency), \(q)")
    self.delay = delay
    self.frequency = frequency
    self.q = q
    self.gain = gain
    self.knownFilter = knownFilter
    self.correlationOfFrequencyAndQ = correlationOfFrequencyAndQ
    self.quality = quality
  }

  /// The time constant of the ringing envelope in seconds: Q / (pi f0).
  public var decayTime: Estimate {
    let value = q.value / (.pi * frequency.value)
    let (a, b) = (q.relativeUncertainty, frequency.relativeUncertainty)
    let variance = a * a + b * b - 2 * correlationOfFrequencyAndQ * a * b
    return Estimate(value, uncertainty: value * max(0, variance).squareRoot())
  }

  /// The rise from 10 to 90 % of the envelope after a step of a tone at resonance, in seconds.
  ///
  /// The envelope goes as 1 - exp(-t / decay time), so this is ln 9 decay times.
  public var riseTime: Estimate {
    Estimate(log(9) * decayTime.value, uncertainty: log(9) * decayTime.uncertainty)
  }

  /// The response at a frequency in hertz, known filter included.
  public func response(at frequency: Double) -> Complex {
    let ratio = frequency / self.frequency.value
    // s^2 / (s^2 + s w0/Q + w0^2) with s = j ratio w0.
    let resonator =
      Complex(-ratio * ratio) / Complex(1 - ratio * ratio, ratio / q.value)
    let turn = Complex(angle: -2 * .pi * frequency * delay.value)
    return (gain.value / q.value) * (turn * resonator * knownFilter.response(at: frequency))
  }

  /// The response that the model gives to a drive, frame by frame, as long as the drive.
  ///
  /// The drive counts as zero outside and as band-limited between its samples; it is convolved
  /// linearly: zeros take up the delay and 14 decay times (1e-6). In the unit of the gain times that
  /// of the drive. Costs two transforms.
  public func predict(_ drive: [Float], rate: SampleRate) -> [Double] {
    guard !drive.isEmpty else { return [] }
    let room = rate.wholeFrames(abs(delay.value) + 14 * decayTime.value) + 1_024
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: drive.count + room))
    var bins = transform.forward(drive.span)
    for index in bins.indices {
      bins[index] =
        bins[index] * response(at: Double(index) * rate.hertz / Double(transform.length))
    }
    return Array(transform.inverse(bins).prefix(drive.count))
  }
}
