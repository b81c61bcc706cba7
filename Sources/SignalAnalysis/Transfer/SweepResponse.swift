// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

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
    return parts.isEmpty ? nil : ToneFit.distortion(of: parts, over: fundamental)
  }

  /// Measures the answer to a sweep: deconvolution, gates around each order, noise from the rest.
  ///
  /// `input` is the reference as captured, or the drive; `output` the response on the same clock, of
  /// the same length. The record is taken as a circle, so both must be quiet at the beginning and have
  /// died away at the end. H = Y X* / (|X|^2 + e), e being 1e-6 of the median of |X|^2 over the band, is
  /// brought to an impulse response of a little more than twice the band. Around its largest value
  /// the linear response is cut out with soft edges, from 0.2 to `tail` seconds (by default 0.75 L ln 2,
  /// for a sweep up at least 0.4 s where the record has room); the harmonics likewise where the sweep
  /// puts them. What no order occupies is noise; it gives the uncertainty of every response.
  ///
  /// The ring must fit into the tail: at -60 dB of the beginning it is cut without loss. Costs two
  /// transforms of the record. Traps where the lengths differ.
  public static func measure(
    _ sweep: SynchronizedSweep, input: [Float], output: [Float], rate: SampleRate,
    harmonics: Int = 5, tail: Double? = nil
  ) throws(TransferError) -> SweepResponse {
    precondition(
      input.count == output.count, "\(input.count) frames in beside \(output.count) frames out")
    precondition(harmonics >= 1, "\(harmonics) harmonics")
    let needed = rate.wholeFrames(sweep.duration)
    guard input.count >= needed else { throw .tooShort(frames: input.count, needed: needed) }
    let division = try SpectralDivision(
      input: input, output: output, rate: rate, band: sweep.band, reach: sweep.guardedBand)
    let gates = SweepGates(sweep, division, harmonics: harmonics, tail: tail)
    let noise = gates.quiet.densities(of: division.impulse)
    let found = stride(from: 2, through: harmonics, by: 1).compactMap { order -> Harmonic? in
      let lowest = Double(order) * sweep.band.lowerBound
      guard lowest < sweep.band.upperBound else { return nil }
      return gates.transfer(order: order, noise: noise, band: lowest...sweep.band.upperBound)
        .map { Harmonic(order: order, transfer: $0) }
    }
    guard let linear = gates.transfer(order: 1, noise: noise, band: sweep.band) else {
      throw .tooShort(frames: input.count, needed: 2 * needed)
    }
    return SweepResponse(sweep: sweep, linear: linear, harmonics: found, gates: gates)
  }

  /// The same with the linear response freed of what band edges and gate do to it.
  ///
  /// They blur the response near the ends of the band and cut off a ring that is longer than the gate. For
  /// a known system that is known exactly: it is taken off for the model, so that what is left is of
  /// the order of the model's own error times the blur. Costs three short transforms.
  public func corrected(by model: ModalModel) -> SweepResponse {
    let linear = gates.linear(band: sweep.band, known: model)
    return SweepResponse(
      sweep: sweep, linear: linear ?? self.linear, harmonics: harmonics, gates: gates)
  }
}

/// Why no transfer function could be measured.
public enum TransferError: Error, Equatable, CustomStringConvertible {
  /// The recording does not hold the stimulus and its response.
  case tooShort(frames: Int, needed: Int)
  /// A sample is not a finite number.
  case notFinite
  /// The input holds nothing in the band.
  case noInput

  /// One sentence.
  public var description: String {
    switch self {
    case .tooShort(let frames, let needed):
      "\(frames) frames are too few for a transfer function: record at least \(needed)"
    case .notFinite: "a sample of input or output is not a finite number"
    case .noInput:
      "the input is silent in the band of the stimulus: check the reference and its wiring"
    }
  }
}
