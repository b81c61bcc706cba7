private import Glibc

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
