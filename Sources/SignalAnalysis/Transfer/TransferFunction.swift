private import Glibc

/// A measured complex response on evenly spaced frequencies, with its uncertainty.
///
/// Output over input: in m/s2 per volt, in ohms, or without a unit, as the two signals were.
public struct TransferFunction: Sendable, Equatable {
  /// The distance of two frequencies in hertz.
  public let spacing: Double
  /// The frequencies in hertz, rising, whole multiples of the spacing.
  public let frequencies: [Double]
  /// The response at each frequency.
  public let response: [Complex]
  /// The standard uncertainty of the real part, and of the imaginary part, at each frequency.
  ///
  /// Whoever fits to it may take the errors of two frequencies as independent.
  public let uncertainty: [Double]
  /// The delay in seconds about which the response lies: where its impulse response is largest.
  public let delay: Double

  /// Makes a transfer function from known numbers.
  ///
  /// Traps unless the lists are of one length, there is at least one frequency, and the spacing is
  /// above zero.
  public init(
    spacing: Double, frequencies: [Double], response: [Complex], uncertainty: [Double],
    delay: Double = 0
  ) {
    precondition(spacing > 0 && !frequencies.isEmpty, "a transfer function without frequencies")
    precondition(
      frequencies.count == response.count && frequencies.count == uncertainty.count,
      "\(frequencies.count) frequencies, \(response.count) responses, \(uncertainty.count) uncertainties"
    )
    self.spacing = spacing
    self.frequencies = frequencies
    self.response = response
    self.uncertainty = uncertainty
    self.delay = delay
  }

  /// The band from the first to the last frequency, in hertz.
  public var band: ClosedRange<Double> {
    frequencies[0]...max(frequencies[0], frequencies[frequencies.count - 1])
  }

  /// The response between the frequencies, nil outside of the band.
  ///
  /// A polynomial through the six nearest (Lagrange), drawn where the delay is taken out: good to 0.1 %
  /// where the half-power width of a resonance is three times the spacing.
  public func response(at frequency: Double) -> Complex? {
    guard let place = place(of: frequency) else { return nil }
    let count = min(6, response.count)
    let first = max(0, min(response.count - count, Int(place) - count / 2 + 1))
    var sum = Complex(0)
    for near in first..<(first + count) {
      var weight = 1.0
      for other in first..<(first + count) where other != near {
        weight *= (place - Double(other)) / Double(near - other)
      }
      let turn = Complex(angle: 2 * .pi * frequencies[near] * delay)
      sum = sum + weight * (response[near] * turn)
    }
    return sum * Complex(angle: -2 * .pi * frequency * delay)
  }

  /// The modulus of the response at a frequency with its uncertainty, nil outside of the band.
  public func magnitude(at frequency: Double) -> Estimate? {
    guard let response = response(at: frequency), let place = place(of: frequency) else {
      return nil
    }
    return Estimate(response.magnitude, uncertainty: uncertainty[Int(place.rounded())])
  }

  /// The part that lies inside a band in hertz; nil where no frequency does.
  public func limited(to band: ClosedRange<Double>) -> TransferFunction? {
    let kept = frequencies.indices.filter { band.contains(frequencies[$0]) }
    guard let first = kept.first, let last = kept.last else { return nil }
    return TransferFunction(
      spacing: spacing, frequencies: Array(frequencies[first...last]),
      response: Array(response[first...last]), uncertainty: Array(uncertainty[first...last]),
      delay: delay)
  }

  private func place(of frequency: Double) -> Double? {
    let place = (frequency - frequencies[0]) / spacing
    let last = Double(frequencies.count - 1)
    guard place > -1e-9, place < last + 1e-9 else { return nil }
    return max(0, min(last, place))
  }
}
