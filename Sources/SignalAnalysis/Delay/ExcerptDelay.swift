// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How late a long known signal stands in a recording, judged by an excerpt of the recording alone.
///
/// Least squares of recording = gain signal(frame - delay) + offset over the excerpt, whose ends are faded:
/// where it is cut out of a tone no bias comes of the cut, as the signal is known beyond it. Of several
/// delays that explain a tone nearly as well the likeliest counts, by what is left over and by what was
/// expected; where that does not decide, no cycle is guessed.
public struct ExcerptDelay: Sendable {
  /// What an excerpt tells.
  public struct Found: Sendable, Equatable {
    /// Recording frame minus signal frame, with its fraction.
    public let delay: Double
    /// One standard deviation of the delay in frames: by the spectrum of what is left over, and at least
    /// the bound.
    public let uncertainty: Double
    /// The smallest standard deviation, in frames, that white noise of the residual's power allows.
    public let cramerRaoBound: Double
    /// The recording's amplitude over the signal's.
    public let gain: Double
    /// The signal frame that the delay belongs to: where the energy of the signal's slope is centred.
    public let centre: Double
    /// The power of the signal over the power of what is left without it, over the full band, in dB.
    public let signalToNoise: Double
  }

  /// Frames by which the known signal must be as sent beyond an excerpt and the delays that are searched.
  public static let margin = 256
  /// Frames over which the signal is faded beyond its margin's inner part.
  private static let fade = 192
  /// The nepers by which the best delay must be likelier than any other one.
  private static let decision = 10.0
  /// The nepers by which it must be likelier than no signal at all.
  private static let presence = 20.0

  private let signal: [Float]
  private let recording: [Float]
  private let gain: Double

  /// Takes what was sent, silence before and after, and a recording of it.
  ///
  /// `gain` is what the signal comes back as; a found one that is a fifth off is not believed.
  public init(signal: [Float], recording: [Float], gain: Double) {
    self.signal = signal
    self.recording = recording
    self.gain = gain
  }

  /// How far from the expected delay is searched, in frames: five standard deviations and a few frames.
  public static func reach(of expected: Estimate) -> Int {
    Int((5 * expected.uncertainty).rounded(.up)) + 4
  }

  /// Finds the delay of an excerpt of at least 64 frames, all of them true samples.
  ///
  /// `expected` is the delay as it is known before, normally distributed, in frames. Throws where there is no
  /// signal, none is found, or more than one delay explains it.
  public func delay(in frames: Range<Int>, expected: Estimate) throws(DelayError) -> Found {
    guard frames.count >= 64, frames.lowerBound >= 0, frames.upperBound <= recording.count else {
      throw .notFound(reason: "the excerpt \(frames) is not inside the recording, or too short")
    }
    for frame in frames where !recording[frame].isFinite { throw .notFinite(frame: frame) }
    let fit = ExcerptFit(
      signal: signal, recording: recording, frames: frames,
      delay: Int(expected.value.rounded()), reach: Self.reach(of: expected), margin: Self.margin,
      fade: Self.fade)
    guard fit.holdsSignal else { throw .notFound(reason: "the signal is silent there") }
    let shift = ExpectedShift(
      centre: expected.value - expected.value.rounded(), uncertainty: expected.uncertainty)
    var found: [(solution: ExcerptFit.Solution, likelihood: Double)] = []
    for (place, lobe) in fit.lobes(positive: gain > 0, expected: shift).enumerated() {
      if place >= LobeTops.fewest, let best = found.first {
        if lobe.ceiling < best.likelihood - Self.decision { break }
        guard place < LobeTops.most else {
          throw .notFound(reason: "more than \(place) delays explain it nearly as well")
        }
      }
      guard let solution = fit.refined(from: Double(lobe.shift), gain: gain) else { continue }
      found.append((solution, solution.likelihood + shift.likelihood(of: solution.shift)))
      found.sort { $0.likelihood > $1.likelihood }
    }
    guard let (best, likelihood) = found.first else {
      throw .notFound(reason: "no delay near the expected one explains it")
    }
    guard best.likelihood >= Self.presence else {
      throw .notFound(reason: "the signal does not stand out of the noise")
    }
    let rival = found.dropFirst().first { abs($0.solution.shift - best.shift) > 0.5 }
    if let rival, likelihood - rival.likelihood < Self.decision {
      throw .notFound(
        reason: "two delays explain it nearly as well, "
          + "\(Int(abs(rival.solution.shift - best.shift).rounded())) frames apart")
    }
    let tolerance = max(0.2 * abs(gain), 5 * best.gainUncertainty)
    guard abs(best.gain - gain) <= tolerance else {
      throw .notFound(reason: "it is not as strong as the signal elsewhere")
    }
    let delay = expected.value.rounded() + best.shift
    return Found(
      delay: delay, uncertainty: best.uncertainty, cramerRaoBound: best.bound, gain: best.gain,
      centre: Double(frames.lowerBound) + best.centre - delay, signalToNoise: best.signalToNoise)
  }
}

/// The sums and spectra of one excerpt against the signal that it is an excerpt of.
///
/// A shift is the delay less the whole delay that the segment of the signal was cut out for; positive where
/// the recording is later.
struct ExcerptFit {
  struct Solution {
    let shift: Double
    let gain: Double
    let gainUncertainty: Double
    /// How much likelier than silence, in nepers.
    let likelihood: Double
    let uncertainty: Double
    let bound: Double
    /// The frame of the excerpt at which the energy of the slope is centred.
    let centre: Double
    let signalToNoise: Double
  }

  /// A whole shift about which likelihood and prior have a top.
  struct Lobe {
    let shift: Int
    /// The most that likelihood and prior together can come to within a frame of it.
    let ceiling: Double
  }

  private static let mostRounds = 12

  private let reach: Int
  /// The place in the segment that the excerpt's first frame has at shift 0.
  private let origin: Int
  private let length: Int
  private let weights: [Double]
  private let total: Double
  private let recorded: [Double]
  private let power: Double
  private let spectrum: [Complex]
  /// By shift from -reach - `WindowedSinc.reach`: the sums of recorded times signal, and of the signal's
  /// square about its mean.
  private let products: [Double]
  private let energies: [Double]

  init(
    signal: [Float], recording: [Float], frames: Range<Int>, delay: Int, reach: Int, margin: Int,
    fade: Int
  ) {
    let count = frames.count
    let origin = reach + margin
    let size = count + 2 * origin
    let length = FourierTransform.fastLength(atLeast: size)
    self.reach = reach
    self.origin = origin
    self.length = length
    let first = frames.lowerBound - delay - origin
    var segment = [Double](repeating: 0, count: length)
    for place in 0..<size where signal.indices.contains(first + place) {
      let edge = min(place, size - 1 - place)
      segment[place] = Double(signal[first + place]) * Self.rise(edge, over: fade)
    }
    let taper = min(128, count / 4)
    weights = (0..<count).map { Self.rise(min($0, count - 1 - $0), over: taper) }
    let total = weights.reduce(0, +)
    self.total = total
    let mean = zip(weights, frames).reduce(0) { $0 + $1.0 * Double(recording[$1.1]) } / total
    recorded = frames.map { Double(recording[$0]) - mean }
    var transform = FourierTransform(length: length)
    spectrum = transform.forward(segment.span)
    let squares = segment.map { $0 * $0 }
    let squareSpectrum = transform.forward(squares.span)
    func padded(_ values: [Double]) -> [Double] {
      values + [Double](repeating: 0, count: length - count)
    }
    let weighted = padded(zip(weights, recorded).map { $0 * $1 })
    let weightedSpectrum = transform.forward(weighted.span)
    let paddedWeights = padded(weights)
    let weightSpectrum = transform.forward(paddedWeights.span)
    func correlation(_ one: [Complex], _ other: [Complex]) -> [Double] {
      let sums = transform.inverse(zip(one, other).map { $0.conjugate * $1 })
      // The sum at a place of the segment belongs to the shift that brings it under the excerpt.
      let wide = reach + WindowedSinc.reach
      return (-wide...wide).map { sums[origin - $0] }
    }
    products = correlation(weightedSpectrum, spectrum)
    let means = correlation(weightSpectrum, spectrum)
    energies = zip(correlation(weightSpectrum, squareSpectrum), means).map {
      max(0, $0 - $1 * $1 / total)
    }
    power = zip(weights, recorded).reduce(0) { $0 + $1.0 * $1.1 * $1.1 }
  }

  /// From 0 at the end to 1 beyond a raised cosine.
  private static func rise(_ distance: Int, over length: Int) -> Double {
    guard distance < length else { return 1 }
    return 0.5 - 0.5 * cos(.pi * (Double(distance) + 0.5) / Double(length))
  }

  /// False where nothing was sent, or nothing but rounding.
  var holdsSignal: Bool { power > 0 && (energies.max() ?? 0) > 1e-12 * total }

  /// How much likelier than silence a residual is, in nepers: n/2 ln of the ratio of the powers.
  private func likelihood(_ residual: Double) -> Double {
    total / 2 * log(power / max(residual, 1e-14 * power))
  }

  /// Where likelihood and prior have a top, the one that can be the highest first; none at the edge.
  ///
  /// Whole shifts alone do not rank them: of a long tone, neighbours differ by less than a top loses that
  /// falls between two shifts.
  func lobes(positive: Bool, expected: ExpectedShift) -> [Lobe] {
    let floor = 1e-6 * (energies.max() ?? 0)
    let inner = WindowedSinc.reach..<(products.count - WindowedSinc.reach)
    let heights = inner.map { index in
      let (product, energy) = (products[index], energies[index])
      let isSigned = (product > 0) == positive && energy > floor
      return likelihood(power - (isSigned ? product * product / energy : 0))
        + expected.likelihood(of: Double(index - inner.lowerBound - reach))
    }
    let tops = heights.indices.dropFirst().dropLast().filter {
      heights[$0] >= heights[$0 - 1] && heights[$0] > heights[$0 + 1]
    }
    return tops.map { top in
      let index = top + inner.lowerBound
      let near = Array(products[index - WindowedSinc.reach...index + WindowedSinc.reach])
      let product = products[index] * (LobeTops.rise(of: near) + LobeTops.accuracy)
      let energy = max(floor, min(energies[index - 1], energies[index], energies[index + 1]))
      let isSigned = (product > 0) == positive
      let shift = top - reach
      return Lobe(
        shift: shift,
        ceiling: likelihood(power - (isSigned ? product * product / energy : 0))
          + expected.likelihood(within: Double(shift - 1)...Double(shift + 1)))
    }.sorted { $0.ceiling > $1.ceiling }
  }

  /// The exact least squares near a whole shift, by Gauss and Newton; `nil` where they lead away.
  func refined(from start: Double, gain: Double) -> Solution? {
    var transform = FourierTransform(length: length)
    var (shift, gain) = (start, gain)
    for round in 1... {
      let shifted = transform.inverse(turned(by: shift) { _ in Complex(1) })
      let slope = transform.inverse(turned(by: shift) { Complex(0, $0) })
      guard let normal = NormalEquations(weights, recorded, shifted, slope, gain: gain) else {
        return nil
      }
      gain = normal.gain
      if abs(normal.step) < 1e-6 || round == Self.mostRounds {
        return solved(normal, shifted, slope, at: shift)
      }
      shift += max(-1, min(1, normal.step))
      guard abs(shift - start) < 2 else { break }
    }
    return nil
  }

  /// The signal's spectrum where a shift brings it, times a function of the frequency in radians a frame.
  private func turned(by shift: Double, _ factor: (Double) -> Complex) -> [Complex] {
    spectrum.indices.map { index in
      let frequency = 2 * Double.pi * Double(index) / Double(length)
      guard index < length / 2 else { return Complex(0) }
      return spectrum[index] * Complex(angle: frequency * (Double(origin) - shift))
        * factor(frequency)
    }
  }

  private func solved(
    _ normal: NormalEquations, _ shifted: [Double], _ slope: [Double], at shift: Double
  ) -> Solution {
    let count = recorded.count
    var residual = 0.0
    var (energy, moment, slopePower) = (0.0, 0.0, 0.0)
    var rest = [Double](repeating: 0, count: length)
    var influence = rest
    for index in 0..<count {
      let weight = weights[index]
      let left = recorded[index] - normal.gain * shifted[index] - normal.offset
      residual += weight * left * left
      energy += weight * shifted[index] * shifted[index]
      slopePower += weight * slope[index] * slope[index]
      moment += weight * slope[index] * slope[index] * Double(index)
      rest[index] = weight * left
      influence[index] = weight * normal.influence(shifted[index], slope[index])
    }
    let variance = residual / max(1, total - 3)
    let bound = (variance * normal.shiftVariance).squareRoot()
    let coloured = colouredVariance(rest, influence).squareRoot()
    return Solution(
      shift: shift, gain: normal.gain,
      gainUncertainty: (variance * normal.gainVariance).squareRoot(),
      likelihood: likelihood(residual), uncertainty: max(bound, coloured), bound: bound,
      centre: slopePower > 0 ? moment / slopePower : Double(count) / 2,
      signalToNoise: 10
        * log10(normal.gain * normal.gain * energy / total / max(variance, 1e-300)))
  }

  /// The variance of the shift in noise of the residual's spectrum, averaged over neighbouring bins.
  private func colouredVariance(_ rest: [Double], _ influence: [Double]) -> Double {
    var transform = FourierTransform(length: length)
    let noise = transform.forward(rest.span).map(\.power)
    let response = transform.forward(influence.span).map(\.power)
    // Sixteen independent bins on either side: few enough to follow the spectrum.
    let width = max(1, 16 * length / recorded.count)
    let sums = noise.runningSums()
    let norm = weights.reduce(0) { $0 + $1 * $1 }
    var variance = 0.0
    for index in response.indices.dropFirst().dropLast() {
      let (low, high) = (max(1, index - width), min(noise.count, index + width + 1))
      variance += 2 * response[index] * (sums[high] - sums[low]) / Double(high - low) / norm
    }
    return variance / Double(length)
  }
}

/// What is known of a shift before anything is recorded: it is normally distributed.
struct ExpectedShift {
  let centre: Double
  let uncertainty: Double

  /// How likely a shift is beside the expected one, in nepers.
  func likelihood(of shift: Double) -> Double {
    let distance = (shift - centre) / uncertainty
    return -distance * distance / 2
  }

  func likelihood(within shifts: ClosedRange<Double>) -> Double {
    likelihood(of: min(max(centre, shifts.lowerBound), shifts.upperBound))
  }
}

/// Weighted least squares of three unknowns: gain, step of the shift, offset.
private struct NormalEquations {
  let gain: Double
  let step: Double
  let offset: Double
  let gainVariance: Double
  let shiftVariance: Double
  /// What a frame's shifted signal, its slope and its one do to the shift.
  private let row: (Double, Double, Double)
  private let slopeGain: Double

  /// Solves recorded = gain shifted - step gain slope + offset; `nil` where that has no one answer.
  init?(
    _ weights: [Double], _ recorded: [Double], _ shifted: [Double], _ slope: [Double], gain: Double
  ) {
    var (aa, ab, ac, bb, bc, cc) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var (ra, rb, rc) = (0.0, 0.0, 0.0)
    for index in recorded.indices {
      let weight = weights[index]
      let (a, b) = (shifted[index], -gain * slope[index])
      aa += weight * a * a
      ab += weight * a * b
      ac += weight * a
      bb += weight * b * b
      bc += weight * b
      cc += weight
      ra += weight * a * recorded[index]
      rb += weight * b * recorded[index]
      rc += weight * recorded[index]
    }
    guard let inverse = SymmetricMatrix(aa, ab, ac, bb, bc, cc).inverse() else { return nil }
    (self.gain, step, offset) = inverse.times((ra, rb, rc))
    gainVariance = inverse.a
    shiftVariance = inverse.d
    row = (inverse.b, inverse.d, inverse.e)
    slopeGain = gain
  }

  /// What a unit of noise at a frame does to the shift, the frame's weight apart.
  func influence(_ shifted: Double, _ slope: Double) -> Double {
    row.0 * shifted - row.1 * slopeGain * slope + row.2
  }
}
