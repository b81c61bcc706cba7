private import Glibc

/// A delay and one or more resonators side by side: what an actuator with several modes does to its drive.
///
/// H(f) = exp(-j 2 pi f d) K(f) sum over modes of (g/Q) s^2 / (s^2 + s w0/Q + w0^2), s = j 2 pi f.
public struct ModalModel: Sendable, Equatable {
  /// One resonator.
  public struct Mode: Sendable, Equatable {
    /// The frequency of resonance f0 in hertz.
    public let frequency: Estimate
    /// The quality factor Q.
    public let q: Estimate
    /// The gain g of this mode alone at its resonance; negative for turned polarity.
    public let gain: Estimate

    /// Makes a mode; traps unless frequency and Q are above zero.
    public init(frequency: Estimate, q: Estimate, gain: Estimate) {
      precondition(frequency.value > 0 && q.value > 0, "a mode at \(frequency), \(q)")
      self.frequency = frequency
      self.q = q
      self.gain = gain
    }

    /// The response of this mode at a frequency in hertz.
    public func response(at frequency: Double) -> Complex {
      let ratio = frequency / self.frequency.value
      let divisor = Complex(1 - ratio * ratio, ratio / q.value)
      return Complex(-gain.value / q.value * ratio * ratio) / divisor
    }
  }

  /// The pure delay d in seconds, common to all modes, without the known filter's own.
  public let delay: Estimate
  /// The modes, the one with the largest gain first.
  public let modes: [Mode]
  /// The filter K that was given.
  public let knownFilter: KnownFilter
  /// The covariance of the delay in s, then of ln f0, ln Q and gain of each mode, row by row.
  ///
  /// Empty for a model that was not fitted.
  public let covariance: [Double]
  /// How well the model explains what it was fitted to; nil for a model that was not fitted.
  public let quality: ResonatorModel.Quality?

  /// Makes a model; traps unless there is a mode.
  public init(
    delay: Estimate, modes: [Mode], knownFilter: KnownFilter = .none, covariance: [Double] = [],
    quality: ResonatorModel.Quality? = nil
  ) {
    precondition(!modes.isEmpty, "a model without modes")
    self.delay = delay
    self.modes = modes
    self.knownFilter = knownFilter
    self.covariance = covariance
    self.quality = quality
  }

  /// The mode with the largest gain.
  public var mode: Mode { modes[0] }

  /// The response at a frequency in hertz, known filter included.
  public func response(at frequency: Double) -> Complex {
    let sum = modes.reduce(Complex(0)) { $0 + $1.response(at: frequency) }
    let turn = Complex(angle: -2 * .pi * frequency * delay.value)
    return turn * knownFilter.response(at: frequency) * sum
  }

  /// The modulus of the response at a frequency in hertz, with the uncertainty that the fit left.
  public func magnitude(at frequency: Double) -> Estimate {
    let total = response(at: frequency)
    let size = 1 + 3 * modes.count
    guard covariance.count == size * size, total.power > 0 else {
      return Estimate(total.magnitude, uncertainty: 0)
    }
    let around = Complex(angle: -2 * .pi * frequency * delay.value)
    let common = around * knownFilter.response(at: frequency)
    // d|H| = Re(H* dH) / |H|; a delay turns H and leaves its modulus.
    var slopes = [0.0]
    for mode in modes {
      let own = common * mode.response(at: frequency)
      let ratio = frequency / mode.frequency.value
      let damping = Complex(0, ratio / mode.q.value)
      let divisor = Complex(1 - ratio * ratio, ratio / mode.q.value)
      for change in [
        -1 * (own * (damping + Complex(2)) / divisor),
        own * (damping / divisor - Complex(1)),
        (1 / mode.gain.value) * own,
      ] {
        slopes.append((total.conjugate * change).real / total.magnitude)
      }
    }
    var variance = 0.0
    for row in 0..<size {
      for column in 0..<size {
        variance += slopes[row] * covariance[row * size + column] * slopes[column]
      }
    }
    return Estimate(total.magnitude, uncertainty: max(0, variance).squareRoot())
  }

  /// Whether no parameter of another model differs by more than a tenth of its uncertainty here.
  func isNear(_ other: ModalModel) -> Bool {
    func near(_ one: Estimate, _ other: Estimate) -> Bool {
      abs(one.value - other.value) <= 0.1 * one.uncertainty
    }
    return modes.count == other.modes.count && near(delay, other.delay)
      && zip(modes, other.modes).allSatisfy {
        near($0.frequency, $1.frequency) && near($0.q, $1.q) && near($0.gain, $1.gain)
      }
  }

  /// The model of the first mode alone.
  public var resonator: ResonatorModel {
    let size = 1 + 3 * modes.count
    var correlation = 0.0
    if covariance.count == size * size {
      let scale = (covariance[size + 1] * covariance[2 * size + 2]).squareRoot()
      correlation = scale > 0 ? covariance[size + 2] / scale : 0
    }
    return ResonatorModel(
      delay: delay, frequency: mode.frequency, q: mode.q, gain: mode.gain,
      knownFilter: knownFilter, correlationOfFrequencyAndQ: correlation, quality: quality)
  }
}
