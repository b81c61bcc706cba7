// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

/// Where a known waveform stands in a recording, and how surely.
public struct DelayEstimate: Sendable, Equatable {
  /// The frame of the recording at which the waveform's frame 0 stands, with its fraction.
  public private(set) var delay: Double
  /// One standard deviation of the delay in frames: the larger of what the residual says and the bound.
  public let uncertainty: Double
  /// The smallest standard deviation, in frames, that white noise of the residual's power allows.
  public let cramerRaoBound: Double
  /// The recording's amplitude over the waveform's; negative where the polarity is turned.
  public let gain: Double
  /// The correlation coefficient of recording and waveform at the best whole frame, -1 to 1.
  public let correlation: Double
  /// The power of the waveform over the power of what is left without it, over the full band, in dB.
  public let signalToNoise: Double

  /// The same in a recording that begins so many frames earlier.
  public func shifted(by frames: Double) -> DelayEstimate {
    var shifted = self
    shifted.delay += frames
    return shifted
  }
}

/// Why no delay is given.
public enum DelayError: Error, Equatable, CustomStringConvertible {
  /// The waveform is not in the part of the recording that was searched.
  case notFound(reason: String)
  /// A sample of the recording is not a finite number.
  case notFinite(frame: Int)

  /// One sentence.
  public var description: String {
    switch self {
    case .notFound(let reason): "the known waveform was not found: \(reason)"
    case .notFinite(let frame): "frame \(frame) of the recording is not a finite number"
    }
  }
}

/// Finds where a known waveform stands in a recording, to a small part of a frame.
///
/// In two stages: `CorrelationSearch` takes the lobes of the correlation coefficient that are high enough,
/// `DelayRefinement` the exact maximum of the continuous cross-correlation in each, the highest of which
/// is the maximum-likelihood delay and gain in white noise. The waveform must be band-limited and begin and
/// end near zero, as a `Sweep` does. Deterministic; for 2,400 frames in 240,000 some 10 ms.
public struct DelayEstimator: Sendable {
  /// The known waveform.
  public let template: [Double]
  /// The correlation coefficient below which, in magnitude, nothing is found.
  ///
  /// In white noise the coefficient is sqrt(s / (1 + s)) at a power ratio s of waveform to noise:
  /// 0.71 at 0 dB, 0.45 at -6 dB; noise alone reaches some 5 / sqrt(2 B T) for bandwidth B, length T.
  private static let minimumCorrelation = 0.4

  /// Makes an estimator of one waveform.
  ///
  /// Traps unless the waveform has 8 samples or more, all finite, that are not all equal.
  public init(template: [Double]) {
    precondition(template.count >= 8, "a known waveform of \(template.count) samples")
    precondition(template.allSatisfy(\.isFinite), "a known waveform that is not finite")
    precondition(
      template.contains { $0 != template[0] }, "a known waveform whose samples are all equal")
    self.template = template
  }

  /// Finds the waveform, of either polarity, in a recording.
  ///
  /// The search covers delays of `lags` whole frames that let the whole waveform lie inside the
  /// recording; all of them where `lags` is nil. Throws where the correlation is too low, or highest
  /// at the edge of the range. Costs O(n log m) for n lags and m samples of waveform.
  public func estimate(
    in recording: [Float], lags: ClosedRange<Int>? = nil
  ) throws(DelayError) -> DelayEstimate {
    let last = recording.count - template.count
    guard last >= 0 else {
      throw .notFound(
        reason: "the recording has \(recording.count) frames, the waveform \(template.count)")
    }
    let possible = 0...last
    let wanted = lags ?? possible
    guard wanted.overlaps(possible) else {
      throw .notFound(reason: "the lags \(wanted) lie outside the recording's \(possible)")
    }
    let searched = wanted.clamped(to: possible)
    let frames = searched.lowerBound..<(searched.upperBound + template.count)
    for frame in frames where !recording[frame].isFinite { throw .notFinite(frame: frame) }

    let coarse = CorrelationSearch(template: template).peak(in: recording, lags: searched)
    guard abs(coarse.correlation) >= Self.minimumCorrelation else {
      throw .notFound(
        reason: "the highest correlation is \(rounded(coarse.correlation)), "
          + "below \(rounded(Self.minimumCorrelation))")
    }
    let search = exact(coarse, recording, searched)
    guard let best = search.found.first else {
      throw .notFound(
        reason: "the correlation is highest at lag \(coarse.lag), the edge of \(searched)")
    }
    let delay = rounded(best.delay)
    if let rival = search.found.dropFirst().first, !isDecided(best, rival.signalToNoise) {
      throw .notFound(
        reason: "two delays explain it equally well: \(delay) and \(rounded(rival.delay)) frames")
    }
    guard search.isComplete else {
      throw .notFound(
        reason: "more than \(LobeTops.most) delays explain it almost equally well, "
          + "\(delay) frames among them")
    }
    return best
  }

  /// The candidates with their exact delays, the one that leaves the least behind first; not complete where
  /// some that could yet win were not looked at.
  private func exact(
    _ coarse: CorrelationSearch.Peak, _ recording: [Float], _ lags: ClosedRange<Int>
  ) -> (found: [DelayEstimate], isComplete: Bool) {
    var found: [DelayEstimate] = []
    for (place, candidate) in coarse.candidates.enumerated() {
      if place >= LobeTops.fewest, let best = found.first {
        if found.count > 1, !isDecided(best, found[1].signalToNoise) { break }
        if !canRival(candidate, best) { break }
        if place == LobeTops.most { return (found, false) }
      }
      let refinement = DelayRefinement(
        template: template, recording: recording, near: candidate.lag)
      guard let peak = refinement.maximum(positive: candidate.isPositive),
        peak >= Double(lags.lowerBound) - 1, peak <= Double(lags.upperBound) + 1,
        // Two candidates of one lobe end at one peak.
        !found.contains(where: { abs($0.delay - peak) < 0.5 })
      else { continue }
      found.append(refinement.estimate(at: peak, coarse))
      found.sort { $0.signalToNoise > $1.signalToNoise }
    }
    return (found, true)
  }

  /// Whether a lobe could be found nearly as likely as the best, by the most that its top can be.
  private func canRival(_ candidate: CorrelationSearch.Candidate, _ best: DelayEstimate) -> Bool {
    let height = candidate.height + LobeTops.accuracy
    guard height < 1 else { return true }
    let ratio = height * height / (1 - height * height)
    return !isDecided(best, 10 * log10(ratio))
  }

  /// Whether the log-likelihoods of two delays, n/2 ln(s2^2/s1^2) apart, differ by ten or more.
  private func isDecided(_ best: DelayEstimate, _ rival: Double) -> Bool {
    let nepers = (best.signalToNoise - rival) * 0.115_129_254_649_702
    return Double(template.count) * nepers >= 10
  }

  private func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

  /// The frame of the waveform that its delay is measured at: where the energy of its slope is centred.
  ///
  /// A matched filter weighs each instant by the square of the slope. Where the delay grows along the
  /// waveform, because two clocks differ, the estimate is the delay of this frame.
  public var centre: Double {
    var (sum, moment) = (0.0, 0.0)
    for index in template.indices.dropFirst() {
      let slope = template[index] - template[index - 1]
      sum += slope * slope
      moment += slope * slope * (Double(index) - 0.5)
    }
    return sum > 0 ? moment / sum : Double(template.count) / 2
  }
}

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
      signalToNoise: 10 * log10(power / (sigma * sigma)))
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
