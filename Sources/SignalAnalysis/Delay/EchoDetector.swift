// SPDX-License-Identifier: Apache-2.0

import Units

/// Tells whether a known waveform came back by one path or by two that lie close together.
///
/// An echo a few frames after a signal cannot be told from it in time: it shows as a ripple of the
/// transfer function, 1 + a exp(-j w t), as do the filters of every converter. So two models are fitted
/// to the mean spectrum of several passages: one path of any gain and delay through a low-pass and a
/// high-pass of second order each (`PathModel`), and the same with an echo. What scatters from passage
/// to passage is the noise. An echo is told where it explains what the one path leaves over.
///
/// Below a quarter of a period of the waveform's highest frequency an echo is no other than a low-pass,
/// and none is told. Cost: some milliseconds for twenty passages of 2,400 frames.
public struct EchoDetector: Sendable {
  /// A second path beside the first.
  public struct Echo: Sendable, Equatable {
    /// How much later it comes than the stronger, in frames; negative where it comes before.
    public let distance: Double
    /// Its amplitude over that of the stronger, -1...1; negative where its polarity is the other.
    public let share: Double
  }

  /// The known waveform, as it comes back on the recording's clock.
  public let template: [Double]

  /// An echo weaker than this share is not told, however sure it is.
  private static let minimumShare = 0.05

  /// How much better than the one path the echo must explain the spectrum: the drop of chi-square.
  ///
  /// Noise alone drops it by 30 once in a million; some room is left for noise that is not white.
  private static let significance = 40.0
  /// The share of what one path leaves over that the echo must explain.
  ///
  /// What else does not fit, as hum or an echo far away, is not made an echo nearby.
  private static let explainedShare = 0.5
  /// Distances that are told, in periods of the waveform's highest frequency.
  private static let periods = 0.25...2.5
  /// Distances that are tried in any case, in quarters of a period: where filters mimic an echo in part,
  /// the first order about them leads nowhere.
  private static let coarse = [2, -2, 3, -3, 1.33, -1.33, 4.4, -4.4]
  /// How many of the likeliest distances are tried beside those.
  private static let startLimit = 4
  /// Frames before a passage that are looked at too: what band limits spread of it.
  private static let lead = 96

  /// Makes a detector of one waveform, under the conditions of `DelayEstimator`.
  public init(template: [Double]) { self.template = template }

  /// Looks for an echo near the waveform.
  ///
  /// `arrivals` are the frames at which the waveform's frame 0 stands, as `DelayEstimator` gives them; what is
  /// too near the recording's ends is left out. Gives nil where one path explains what came back, or fewer
  /// than three passages are left to know the noise by.
  public func echo(in recording: [Float], arrivals: [Double]) -> Echo? {
    let tail = template.count / 5
    let windows = arrivals.compactMap { arrival -> (frames: Range<Int>, shift: Double)? in
      let first = Int(arrival.rounded()) - Self.lead
      let frames = first..<(first + Self.lead + template.count + tail)
      guard first >= 0, frames.upperBound <= recording.count else { return nil }
      return (frames, arrival - Double(first))
    }
    guard windows.count >= 3,
      let spectra = PathSpectra(
        template: template,
        windows: windows.map { (Array(recording[$0.frames]), $0.shift) })
    else { return nil }
    return echo(in: spectra)
  }

  private func echo(in spectra: PathSpectra) -> Echo? {
    let model = PathModel(spectra: spectra)
    guard let first = model.singlePath() else { return nil }
    let period = 2 * .pi / spectra.highest
    let near = Self.periods.lowerBound * period
    let distances = stride(from: near, through: Self.periods.upperBound * period, by: near / 3)
    let starts = model.starts(distances.flatMap { [$0, -$0] }, beside: first)
    // One path that fits as well as noise lets it, and no echo that would better it, is one path.
    let missing = first.sumOfSquares - Double(model.residualCount)
    guard let best = starts.first,
      best.gained >= Self.significance / 2 || missing >= Self.significance
    else { return nil }
    guard let double = double(from: starts, near: near, model, beside: first) else { return nil }
    // The filters that were found beside an echo may do without it.
    let single =
      [first, model.singlePath(from: double)].compactMap(\.self)
      .min { $0.sumOfSquares < $1.sumOfSquares } ?? first
    let gained = single.sumOfSquares - double.sumOfSquares
    let left = single.sumOfSquares - Double(model.residualCount)
    guard gained >= Self.significance, gained >= Self.explainedShare * left else { return nil }
    let echo = Self.echo(of: double)
    return abs(echo.share) >= Self.minimumShare && abs(echo.distance) >= near ? echo : nil
  }

  /// The best of two paths from the likeliest starts and the coarse ones.
  private func double(
    from starts: [PathModel.Start], near: Double, _ model: PathModel,
    beside first: PathModel.Path
  ) -> PathModel.Path? {
    var likely: [PathModel.Start] = []
    for start in starts where likely.count < Self.startLimit {
      let isNew = likely.allSatisfy { abs($0.distance - start.distance) >= near }
      if isNew { likely.append(start) }
    }
    let coarse = Self.coarse.flatMap { quarters in
      [0.1, -0.1].map { PathModel.Start(distance: quarters * near, share: $0, gained: 0) }
    }
    let count = Double(model.residualCount)
    var best: PathModel.Path?
    for (place, start) in (likely + coarse).enumerated() {
      guard
        let path = model.doublePath(from: start, beside: place < likely.count ? first : nil),
        path.sumOfSquares < best?.sumOfSquares ?? .infinity
      else { continue }
      best = path
      // Noise lets nothing fit much better than its mean and one sigma.
      let echo = Self.echo(of: path)
      if path.sumOfSquares < count + (2 * count).squareRoot(), abs(echo.share) >= Self.minimumShare,
        abs(echo.distance) >= near
      {
        break
      }
    }
    return best
  }

  /// The echo of two paths, of which the stronger is the first, whichever came before.
  private static func echo(of double: PathModel.Path) -> Echo {
    let (share, distance) = (
      double.parameters[PathModel.filterCount], double.parameters[PathModel.filterCount + 1]
    )
    return abs(share) > 1
      ? Echo(distance: -distance, share: 1 / share) : Echo(distance: distance, share: share)
  }
}

/// One path, or two, from a waveform to what came back of it, fitted to a transfer function.
///
///     H = g exp(-s d) / ((1 + b1 s/W + b2 (s/W)^2) (1 + c1 w/s + c2 (w/s)^2)) (1 + a exp(-s t))
///
/// with s = j times the radians a frame, w and W the lowest and the highest of them. The first bracket
/// is any low-pass of second order, or two of first, as converters and amplifiers have; the second the
/// same of high-passes, as couplings have; the last the echo.
struct PathModel {
  let spectra: PathSpectra

  /// Gain, delay and the four of the filters; of two paths the echo's share and distance too.
  typealias Path = LevenbergMarquardt.Minimum

  var residualCount: Int { 2 * spectra.angular.count }

  /// The place of the echo's share among the parameters.
  static let filterCount = 6
  private static let neutral = [1.0, 0, 0, 0, 0, 0]
  /// Where a filter and an echo do nearly the same, the sum hardly falls any more along a long valley.
  private static let tolerance = 1e-5

  /// The best of one path, from no filters or from those of another path; `nil` where none is found.
  func singlePath(from other: Path? = nil) -> Path? {
    minimum(from: (other?.parameters).map { Array($0[..<Self.filterCount]) } ?? Self.neutral)
  }

  /// The best of two paths near a start, with no filters at first or with those of a single path too.
  func doublePath(from start: Start, beside single: Path? = nil) -> Path? {
    [Self.neutral, single?.parameters].compactMap(\.self).compactMap { filters in
      minimum(from: filters + [start.share, start.distance])
    }.min { $0.sumOfSquares < $1.sumOfSquares }
  }

  /// A weak echo, and by how much it would lower the sum of squares.
  struct Start {
    let distance: Double
    let share: Double
    let gained: Double
  }

  /// What echoes at some distances would explain of what the path leaves over, the most first.
  ///
  /// To first order in the share: of the echo's residuals what the path's own parameters cannot do is
  /// kept, and compared with what is left over.
  func starts(_ distances: [Double], beside single: Path) -> [Start] {
    let basis = orthonormal(single)
    let rest = residuals(single.parameters)
    return distances.map { distance in
      var echo = echoColumn(single.parameters, distance)
      // Twice: what rounding leaves of the first time.
      for _ in 0..<2 {
        for column in basis { Self.remove(column, from: &echo) }
      }
      let (own, common) = (Self.product(echo, echo), Self.product(echo, rest))
      guard own > 0 else { return Start(distance: distance, share: 0, gained: 0) }
      // Beyond first order nothing is known, and a share near 1 turns the two paths round.
      let share = min(0.5, max(-0.5, -common / own))
      return Start(distance: distance, share: share, gained: common * common / own)
    }.sorted { $0.gained > $1.gained }
  }

  private func minimum(from start: [Double]) -> Path? {
    let count = start.count
    return LevenbergMarquardt(residualCount: residualCount) { parameters, target in
      let values = residuals(Array(UnsafeBufferPointer(start: parameters, count: count)))
      target.update(from: values, count: values.count)
    } jacobian: { parameters, target in
      let columns = jacobian(Array(UnsafeBufferPointer(start: parameters, count: count)))
      for (place, column) in columns.enumerated() {
        (target + place * residualCount).update(from: column, count: column.count)
      }
    }.minimum(from: start, tolerance: Self.tolerance)
  }

  /// What the model makes of one bin, and the parts of which its slopes are made.
  private struct Value {
    let model: Complex
    /// The model without the echo.
    let path: Complex
    /// s/W over the low-pass bracket.
    let low: Complex
    /// w/s over the high-pass bracket.
    let high: Complex
    let fast: Complex
    let slow: Complex
    /// exp(-s t).
    let late: Complex
  }

  private func value(_ p: [Double], _ bin: Int) -> Value {
    let turn = spectra.angular[bin]
    let fast = Complex(0, turn / spectra.highest)
    let slow = Complex(0, -spectra.lowest / turn)
    let lowPass = Complex(1) + p[2] * fast + p[3] * (fast * fast)
    let highPass = Complex(1) + p[4] * slow + p[5] * (slow * slow)
    let path = p[0] * Complex(angle: -turn * p[1]) / (lowPass * highPass)
    let hasEcho = p.count > Self.filterCount
    let late = hasEcho ? Complex(angle: -turn * p[Self.filterCount + 1]) : Complex(0)
    return Value(
      model: hasEcho ? path * (Complex(1) + p[Self.filterCount] * late) : path, path: path,
      low: fast / lowPass, high: slow / highPass, fast: fast, slow: slow, late: late)
  }

  private func residuals(_ p: [Double]) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(residualCount)
    for bin in spectra.angular.indices {
      let rest = 1 / spectra.sigma[bin] * (spectra.response[bin] - value(p, bin).model)
      values.append(rest.real)
      values.append(rest.imaginary)
    }
    return values
  }

  /// The slopes of the residuals, a column a parameter.
  private func jacobian(_ p: [Double]) -> [[Double]] {
    var columns = [[Double]](repeating: [], count: p.count)
    for place in columns.indices { columns[place].reserveCapacity(residualCount) }
    for bin in spectra.angular.indices {
      let turn = spectra.angular[bin]
      let value = value(p, bin)
      let model = value.model
      var slopes = [
        1 / p[0] * model, Complex(0, -turn) * model, -1 * (model * value.low),
        -1 * (model * value.low * value.fast), -1 * (model * value.high),
        -1 * (model * value.high * value.slow),
      ]
      if p.count > Self.filterCount {
        slopes.append(value.path * value.late)
        slopes.append(p[Self.filterCount] * (Complex(0, -turn) * value.path * value.late))
      }
      for (place, slope) in slopes.enumerated() {
        columns[place].append(-slope.real / spectra.sigma[bin])
        columns[place].append(-slope.imaginary / spectra.sigma[bin])
      }
    }
    return columns
  }

  /// The residuals' slope over the share of an echo that is not there yet.
  private func echoColumn(_ p: [Double], _ distance: Double) -> [Double] {
    spectra.angular.indices.flatMap { bin in
      let echo =
        -1 / spectra.sigma[bin]
        * (value(p, bin).path * Complex(angle: -spectra.angular[bin] * distance))
      return [echo.real, echo.imaginary]
    }
  }

  /// What the path's own parameters can do to the residuals, as columns of length 1 at right angles.
  private func orthonormal(_ single: Path) -> [[Double]] {
    var basis: [[Double]] = []
    for column in jacobian(single.parameters) {
      var rest = column
      for _ in 0..<2 {
        for earlier in basis { Self.remove(earlier, from: &rest) }
      }
      let length = Self.product(rest, rest).squareRoot()
      guard length > 1e-9 * Self.product(column, column).squareRoot() else { continue }
      basis.append(rest.map { $0 / length })
    }
    return basis
  }

  private static func product(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for index in first.indices { sum += first[index] * second[index] }
    return sum
  }

  private static func remove(_ unit: [Double], from column: inout [Double]) {
    let share = product(unit, column)
    for index in column.indices { column[index] -= share * unit[index] }
  }
}

/// The mean transfer function of passages of a known waveform, and how surely it is known.
///
/// Every passage is turned back by its own delay. Only bins in which the waveform is strong are kept,
/// and some neighbours at a time are one point; amplitudes are over the gain, so that one path of
/// nothing but gain and delay is 1 throughout.
struct PathSpectra {
  /// Radians a frame.
  private(set) var angular: [Double] = []
  private(set) var response: [Complex] = []
  /// One standard deviation of the real, and of the imaginary, part of the response.
  private(set) var sigma: [Double] = []

  var highest: Double { angular.last ?? 0 }
  var lowest: Double { angular.first ?? 0 }

  /// Bins with less than this share of the median power are left out.
  private static let powerShare = 0.25
  /// What is believed of a converter's own flatness, whatever the noise: a share of the amplitude.
  private static let flatness = 2e-3
  /// Bins whose scatter is averaged: that of three passages alone is hardly known.
  private static let neighbours = 15

  /// Bins that are one point: an echo of a few frames and a coupling are flat over so many.
  private static let width = 6

  /// Takes windows of one length, each with the place of the waveform's frame 0 in it.
  ///
  /// Gives nil where the waveform has no band, or is not in the windows.
  init?(template: [Double], windows: [(samples: [Float], shift: Double)]) {
    let count = windows.map(\.samples.count).max() ?? 0
    // Whole, even length without zeros behind: a constant offset stays in bin zero.
    let length = count - count % 2
    var transform = FourierTransform(length: length)
    let waveform = transform.forward(template.span)
    let powers = waveform.map(\.power)
    let strongest = powers.max() ?? 0
    let floor = Self.powerShare * Statistics.median(powers.filter { $0 > 0.01 * strongest })
    let bins = (1..<(length / 2)).filter { powers[$0] > floor }
    guard bins.count > 4 * Self.neighbours else { return nil }
    let turns = bins.map { 2 * .pi * Double($0) / Double(length) }
    let passages = windows.map { window -> [Complex] in
      let spectrum = transform.forward(window.samples.span.extracting(..<length))
      return zip(bins, turns).map { spectrum[$0] * Complex(angle: $1 * window.shift) }
    }
    let passageCount = Double(passages.count)
    let mean = bins.indices.map { bin in
      (1 / passageCount) * passages.reduce(Complex(0)) { $0 + $1[bin] }
    }
    // Each part of the mean: half the scatter of both parts, over as many passages.
    let variances = bins.indices.map { bin in
      passages.reduce(0) { $0 + ($1[bin] - mean[bin]).power }
        / (2 * passageCount * (passageCount - 1))
    }
    let strong = bins.map { waveform[$0] }
    let energy = strong.reduce(0) { $0 + $1.power }
    let gain = zip(mean, strong).reduce(0) { $0 + ($1.0 * $1.1.conjugate).real } / energy
    guard gain != 0, gain.isFinite else { return nil }
    for first in stride(from: 0, to: bins.count, by: Self.width) {
      let group = first..<min(bins.count, first + Self.width)
      var (weight, turn, sum) = (0.0, 0.0, Complex(0))
      for bin in group {
        let near = max(0, bin - Self.neighbours)...min(bins.count - 1, bin + Self.neighbours)
        let variance = variances[near].reduce(0, +) / Double(near.count) / (gain * gain)
        // The least weight that a sum of squares may have: without any noise the floor decides.
        let own = 1 / (variance + 1e-12 * strong[bin].power)
        weight += own * strong[bin].power
        turn += own * strong[bin].power * turns[bin]
        sum = sum + own / gain * (mean[bin] * strong[bin].conjugate)
      }
      angular.append(turn / weight)
      response.append(1 / weight * sum)
      sigma.append((1 / weight + Self.flatness * Self.flatness).squareRoot())
    }
  }
}
