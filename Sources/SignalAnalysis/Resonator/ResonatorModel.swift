// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// A filter between motion and samples that is known beforehand, so that its delay is not the rig's.
public enum KnownFilter: Sendable, Equatable {
  /// No filter in the band.
  case none
  /// A Butterworth low-pass of the second order with its -3 dB corner in hertz.
  case butterworth(corner: Double)

  /// The response at a frequency in hertz: wc^2 / (s^2 + s wc / q + wc^2), s = j 2 pi f, q = 1 / sqrt(2).
  public func response(at frequency: Double) -> Complex {
    switch self {
    case .none: Complex(1)
    case .butterworth(let corner):
      Complex(1)
        / Complex(
          1 - (frequency / corner) * (frequency / corner), frequency / corner / 0.5.squareRoot())
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

/// A delay and one or more resonators side by side: what an actuator with several modes does to its drive.
///
/// H(f) = exp(-j 2 pi f d) K(f) sum over modes of (a + b s) s^2 / (s^2 + s w0/Q + w0^2), s = j 2 pi f.
///
/// One mode has a = g/Q and b = 0. Two modes that share a coil and a mount damp each other; then b is the
/// one of the first mode and -b that of the second, so that the response stays finite at high
/// frequencies, and a is what makes |a + b s| Q = |g| at the mode's pole. Any linear system of two
/// modes that stands still without drive and bears a step has this form.
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
  /// How much two modes damp each other: 2 pi b times the geometric mean of their frequencies.
  ///
  /// In the unit of the gains, to be compared with g/Q; 0 for one mode.
  public let coupling: Estimate
  /// The filter K that was given.
  public let knownFilter: KnownFilter
  /// How well the model explains what it was fitted to; nil for a model that was not fitted.
  public let quality: ResonatorModel.Quality?

  /// Makes a model; traps unless there is a mode.
  public init(
    delay: Estimate, modes: [Mode], coupling: Estimate = Estimate(0, uncertainty: 0),
    knownFilter: KnownFilter = .none, quality: ResonatorModel.Quality? = nil
  ) {
    precondition(!modes.isEmpty, "a model without modes")
    self.delay = delay
    self.modes = modes
    self.coupling = coupling
    self.knownFilter = knownFilter
    self.quality = quality
  }

  /// The mode with the largest gain.
  public var mode: Mode { modes[0] }

  /// The response at a frequency in hertz, known filter included.
  public func response(at frequency: Double) -> Complex {
    let turn = Complex(angle: -2 * .pi * frequency * delay.value)
    return turn * knownFilter.response(at: frequency) * sum(at: frequency)
  }

  private func sum(at frequency: Double) -> Complex {
    guard coupling.value != 0 else {
      return modes.reduce(Complex(0)) { $0 + $1.response(at: frequency) }
    }
    return modes.indices.reduce(Complex(0)) { sum, index in
      let (constant, slope) = numerator(of: index)
      let ratio = frequency / modes[index].frequency.value
      let divisor = Complex(1 - ratio * ratio, ratio / modes[index].q.value)
      return sum
        + Complex(-ratio * ratio) * Complex(constant, 2 * .pi * frequency * slope) / divisor
    }
  }

  /// The responses at `count` frequencies, from zero on by an even spacing in hertz.
  ///
  /// As `response(at:)` but for rounding, in a third of the time: bin by bin the turn of the delay grows
  /// by the same angle.
  func responses(spacing: Double, count: Int) -> [Complex] {
    let unit = -2 * .pi * spacing * delay.value
    var turn = Complex(1)
    let step = Complex(angle: unit)
    return (0..<count).map { bin in
      // Every so often exactly, so that rounding does not add up.
      if bin.isMultiple(of: 64) { turn = Complex(angle: unit * Double(bin)) }
      defer { turn = turn * step }
      let frequency = Double(bin) * spacing
      let sum = sum(at: frequency)
      return turn * (knownFilter == .none ? sum : knownFilter.response(at: frequency) * sum)
    }
  }

  /// a and b of a mode's numerator a + b s.
  public func numerator(of index: Int) -> (constant: Double, slope: Double) {
    let mode = modes[index]
    let (g, q) = (mode.gain.value, mode.q.value)
    guard coupling.value != 0, modes.count > 1 else { return (g / q, 0) }
    let mean = (modes[0].frequency.value * modes[1].frequency.value).squareRoot()
    let b = (index == 0 ? 1 : -1) * coupling.value / (2 * .pi * mean)
    // At the pole s = w (-1/(2Q) + j sqrt(1 - 1/(4Q^2))) the numerator's modulus is |g|/Q.
    let w = 2 * .pi * mode.frequency.value
    let across = b * w * max(0, 1 - 1 / (4 * q * q)).squareRoot()
    let along = max(0, g * g / (q * q) - across * across).squareRoot()
    return ((g < 0 ? -along : along) + b * w / (2 * q), b)
  }

  /// The gain of a mode whose numerator is a + b s: the inverse of `numerator(of:)`.
  static func gain(constant: Double, slope: Double, frequency: Double, q: Double) -> Double {
    let w = 2 * .pi * frequency
    let along = constant - slope * w / (2 * q)
    let across = slope * w * max(0, 1 - 1 / (4 * q * q)).squareRoot()
    return (along < 0 ? -1 : 1) * q * hypot(along, across)
  }

  /// The same model with its modes in another order: those nearest to some frequencies in hertz.
  ///
  /// Gains of two modes may be so alike that now one, now the other is larger; what compares several fits
  /// needs one order.
  public func ordered(by frequencies: [Double]) -> ModalModel {
    guard modes.count == 2, frequencies.count == 2 else { return self }
    func distance(_ first: Int, _ second: Int) -> Double {
      abs(log(modes[first].frequency.value / frequencies[0]))
        + abs(log(modes[second].frequency.value / frequencies[1]))
    }
    guard distance(1, 0) < distance(0, 1) else { return self }
    return ModalModel(
      delay: delay, modes: [modes[1], modes[0]],
      coupling: Estimate(-coupling.value, uncertainty: coupling.uncertainty),
      knownFilter: knownFilter, quality: quality)
  }

  /// Whether no parameter of another model differs by more than a tenth of its uncertainty here.
  func isNear(_ other: ModalModel) -> Bool {
    func near(_ one: Estimate, _ other: Estimate) -> Bool {
      abs(one.value - other.value) <= 0.1 * one.uncertainty
    }
    return modes.count == other.modes.count && near(delay, other.delay)
      && near(coupling, other.coupling)
      && zip(modes, other.modes).allSatisfy {
        near($0.frequency, $1.frequency) && near($0.q, $1.q) && near($0.gain, $1.gain)
      }
  }
}
