private import Glibc
import Units

/// The exact maximum of a continuous cross-correlation, and what it says of gain and noise.
///
/// With R and S the spectra of recording and waveform, c(t) = 2/L sum of Re(R S* exp(j w t)) over the
/// bins where the waveform has energy: the cross-correlation at any t, without interpolation. Its
/// maximum is found by Newton's method on c'(t), kept inside a bracket.
struct DelayRefinement {
  /// Frames of the recording beyond the waveform's ends that are looked at, for the hill and its tails.
  private static let margin = 64
  /// Bins this far below the waveform's strongest are left out: they hold nothing but noise.
  private static let powerFloor = 1e-6

  private let origin: Int
  private let size: Int
  private let length: Int
  private let segment: [Double]
  private let reference: [Complex]
  private var bins: [(frequency: Double, cross: Complex, power: Double)] = []

  init(template: [Double], recording: [Float], near lag: Int) {
    size = template.count
    origin = lag - Self.margin
    length = FourierTransform.fastLength(atLeast: size + 2 * Self.margin)
    let end = origin + size + 2 * Self.margin
    let inside = max(0, origin)..<min(recording.count, end)
    let offset = inside.reduce(0) { $0 + Double(recording[$1]) } / Double(inside.count)
    segment = (origin..<end).map { inside.contains($0) ? Double(recording[$0]) - offset : 0 }
    var transform = FourierTransform(length: length)
    reference = transform.forward(template.span)
    let spectrum = transform.forward(segment.span)
    let strongest = reference.reduce(0) { max($0, $1.power) }
    for index in 1..<(length / 2) where reference[index].power > Self.powerFloor * strongest {
      let cross = spectrum[index] * reference[index].conjugate
      let frequency = 2 * .pi * Double(index) / Double(length)
      bins.append((frequency, cross, reference[index].power))
    }
  }

  /// The frame of the recording with the largest (or smallest) correlation, if one is near.
  func maximum(positive: Bool) -> Double? {
    let sign: Double = positive ? 1 : -1
    var top = Double(Self.margin)
    var height = sign * correlation(top).value
    // The coefficient and the correlation itself need not have their hills at the same frame.
    var steps = 0
    while steps < Self.margin {
      let (left, right) = (sign * correlation(top - 1).value, sign * correlation(top + 1).value)
      guard max(left, right) > height else { break }
      top += right > left ? 1 : -1
      height = max(left, right)
      steps += 1
    }
    guard steps < Self.margin else { return nil }
    var (low, high) = (top - 1, top + 1)
    for _ in 0..<60 {
      let (_, slope, curvature) = correlation(top)
      if sign * slope > 0 { low = top } else { high = top }
      let newton = top - slope / curvature
      let next = newton > low && newton < high ? newton : (low + high) / 2
      let change = abs(next - top)
      top = next
      if change < 1e-10 { break }
    }
    return Double(origin) + top
  }

  /// The gain at a delay, and the uncertainty of that delay from what is left over, with what the search told.
  ///
  /// With e the residual and s' the waveform's slope a frame: the bound is sigma / (g |s'|), and the
  /// residual's own spectrum gives sqrt(sum |S'|^2 |E|^2 / m) / (g |s'|^2), which is larger where
  /// the residual is not white but lies in the waveform's band.
  func estimate(at frame: Double, _ search: CorrelationSearch.Peak) -> DelayEstimate {
    let position = frame - Double(origin)
    let scale = 2 / Double(length)
    let energy = scale * bins.reduce(0) { $0 + $1.power }
    let gain = correlation(position).value / energy
    var transform = FourierTransform(length: length)
    let shifted = transform.inverse(
      reference.indices.map { index in
        let turn = Complex(angle: -2 * .pi * Double(index) / Double(length) * position)
        return reference[index] * turn
      })
    let first = Int(position.rounded())
    let left = (first..<min(segment.count, first + size)).map { segment[$0] - gain * shifted[$0] }
    let (mean, sigma) = Statistics.moments(left)
    let rest = left.map { $0 - mean }
    let spectrum = transform.forward(rest.span)
    var (slopeEnergy, coloured) = (0.0, 0.0)
    for index in 1..<(length / 2) {
      let frequency = 2 * .pi * Double(index) / Double(length)
      let slopePower = frequency * frequency * reference[index].power
      slopeEnergy += scale * slopePower
      coloured += scale * slopePower * spectrum[index].power / Double(size)
    }
    let power = gain * gain * energy / Double(size)
    let bound = sigma / (abs(gain) * slopeEnergy.squareRoot())
    return DelayEstimate(
      delay: frame,
      uncertainty: max(coloured.squareRoot() / (abs(gain) * slopeEnergy), bound),
      cramerRaoBound: bound, gain: gain, correlation: search.correlation,
      ambiguity: search.ambiguity, signalToNoise: 10 * log10(power / (sigma * sigma)))
  }

  private func correlation(
    _ position: Double
  ) -> (value: Double, slope: Double, curvature: Double) {
    var (value, slope, curvature) = (0.0, 0.0, 0.0)
    for bin in bins {
      let turned = bin.cross * Complex(angle: bin.frequency * position)
      value += turned.real
      slope -= bin.frequency * turned.imaginary
      curvature -= bin.frequency * bin.frequency * turned.real
    }
    let scale = 2 / Double(length)
    return (scale * value, scale * slope, scale * curvature)
  }
}
