// SPDX-License-Identifier: Apache-2.0

/// The whole lag at which a recording is most like a waveform.
///
/// Blocks of the recording are correlated by FFT (overlap-save); the energy under the waveform comes
/// from running sums, so that the coefficient is Pearson's at every lag, whatever offset there is.
struct CorrelationSearch {
  let template: [Double]

  struct Peak {
    let lag: Int
    let correlation: Double
    /// The lobes nearly as high, the one with the highest top first; `lag` is of one of them.
    let candidates: [Candidate]
  }

  struct Candidate {
    /// The whole lag with the lobe's largest coefficient.
    let lag: Int
    let isPositive: Bool
    /// The magnitude of the coefficient at the lobe's top, between the whole lags, good to `accuracy`; not
    /// known of a lobe that has no rival.
    let height: Double
  }

  /// Lobes at least this share of the highest are candidates.
  private static let candidateShare = 0.8

  /// The lag of the largest coefficient in magnitude; all lags keep the waveform in the recording.
  func peak(in recording: [Float], lags: ClosedRange<Int>) -> Peak {
    let sums = products(recording, lags)
    let coefficients = normalized(sums, recording, lags)
    var best = 0
    for index in coefficients.indices where abs(coefficients[index]) > abs(coefficients[best]) {
      best = index
    }
    let top = coefficients[best]
    guard top != 0 else {
      return Peak(lag: lags.lowerBound, correlation: 0, candidates: [])
    }
    return Peak(
      lag: lags.lowerBound + best, correlation: max(-1, min(1, top)),
      candidates: candidates(coefficients, sums, best, recording, lags))
  }

  private func candidates(
    _ coefficients: [Double], _ sums: [Double], _ best: Int, _ recording: [Float],
    _ lags: ClosedRange<Int>
  ) -> [Candidate] {
    // A top half-way between two lags stands there at 2 / pi of its height where the band is the full one.
    let floor = 0.6 * Self.candidateShare * abs(coefficients[best])
    let tops = coefficients.indices.filter { index in
      let height = abs(coefficients[index])
      guard index != best else { return true }
      let left = index > 0 ? abs(coefficients[index - 1]) : 0
      let right = index + 1 < coefficients.count ? abs(coefficients[index + 1]) : 0
      return height >= floor && height >= left && height > right
    }
    guard tops.count > 1 else {
      return [
        Candidate(
          lag: lags.lowerBound + best, isPositive: coefficients[best] > 0,
          height: abs(coefficients[best]))
      ]
    }
    var products = LobeTops(template: template, sums: sums, recording: recording, lags: lags)
    let lobes = tops.map { index in
      let height = abs(coefficients[index]) * products.rise(at: index)
      return Candidate(
        lag: lags.lowerBound + index, isPositive: coefficients[index] > 0, height: min(1, height))
    }.sorted { $0.height > $1.height }
    return lobes.filter { $0.height >= Self.candidateShare * lobes[0].height }
  }

  /// Sums of recording times centred waveform, one a lag.
  private func products(_ recording: [Float], _ lags: ClosedRange<Int>) -> [Double] {
    let size = template.count
    let length = FourierTransform.fastLength(
      atLeast: min(max(4 * size, 8_192), lags.count + size - 1))
    var transform = FourierTransform(length: length)
    let mean = template.reduce(0, +) / Double(size)
    let centred = template.map { $0 - mean }
    let reference = transform.forward(centred.span)
    let step = length - size + 1
    var sums: [Double] = []
    sums.reserveCapacity(lags.count + step)
    for start in stride(from: lags.lowerBound, through: lags.upperBound, by: step) {
      let end = min(start + length, lags.upperBound + size)
      var bins = transform.forward(recording.span.extracting(start..<end))
      for index in bins.indices { bins[index] = bins[index] * reference[index].conjugate }
      sums.append(contentsOf: transform.inverse(bins).prefix(step))
    }
    sums.removeLast(sums.count - lags.count)
    return sums
  }

  /// Divides by the norms of the waveform and of what lies under it, less their means.
  private func normalized(
    _ sums: [Double], _ recording: [Float], _ lags: ClosedRange<Int>
  ) -> [Double] {
    let size = template.count
    let mean = template.reduce(0, +) / Double(size)
    let own = template.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let frames = lags.lowerBound..<(lags.upperBound + size)
    let values = recording[frames].lazy.map(Double.init)
    let (total, squares) = (values.runningSums(), values.map { $0 * $0 }.runningSums())
    // Below this the difference of two running sums is rounding, and the stretch counts as silent.
    let floor = 1e-12 * (squares.last ?? 0)
    var coefficients = sums
    for index in sums.indices {
      let inside = total[index + size] - total[index]
      let energy = squares[index + size] - squares[index] - inside * inside / Double(size)
      coefficients[index] = energy > floor ? sums[index] / (own * energy).squareRoot() : 0
    }
    return coefficients
  }
}

/// How high the lobes of a correlation are between its whole lags.
///
/// The sums of recording times waveform have the waveform's band, so that a windowed sinc tells them between
/// two lags. Of a long tone a lobe's neighbours are lower by a period's share of the length alone, and stand
/// higher at their whole lags where their tops fall nearer to one.
struct LobeTops {
  /// By what a height is off at most, for waveforms below 0.47 of the rate.
  static let accuracy = 2e-5
  /// So many lobes are always looked at; more where one of them could yet be the best or its equal.
  static let fewest = 6
  /// Where more could, there is no one delay.
  static let most = 24
  /// Places looked at from one lag to the next; the parabola through three is off by less than 1e-5.
  private static let steps = 16

  private let template: [Double]
  private let mean: Double
  private let recording: [Float]
  private let lags: ClosedRange<Int>
  private let sums: [Double]
  /// Sums beyond the ends of the search, as far as a lobe near an end has asked for them.
  private var beyond: [Int: Double] = [:]

  init(template: [Double], sums: [Double], recording: [Float], lags: ClosedRange<Int>) {
    self.template = template
    mean = template.reduce(0, +) / Double(template.count)
    self.recording = recording
    self.lags = lags
    self.sums = sums
  }

  /// The height of a lobe's top over that of its highest whole lag: 1 or more.
  mutating func rise(at index: Int) -> Double {
    Self.rise(of: (index - WindowedSinc.reach...index + WindowedSinc.reach).map { sum(at: $0) })
  }

  /// The same of the sums about the whole lag, `WindowedSinc.reach` on either side of it.
  static func rise(of near: [Double]) -> Double {
    let whole = near[WindowedSinc.reach]
    guard whole != 0 else { return 1 }
    let heights = kernels.map { kernel in
      zip(kernel, near).reduce(0) { $0 + $1.0 * $1.1 } / whole
    }
    var top = 0
    for place in heights.indices where heights[place] > heights[top] { top = place }
    guard heights.indices.dropFirst().dropLast().contains(top) else { return max(1, heights[top]) }
    let (left, middle, right) = (heights[top - 1], heights[top], heights[top + 1])
    let curvature = 2 * middle - left - right
    let lift = curvature > 0 ? (left - right) * (left - right) / (8 * curvature) : 0
    return max(1, middle + lift)
  }

  /// The sum at a lag of the search or beyond it; what lies beyond the recording counts as zero.
  private mutating func sum(at index: Int) -> Double {
    if sums.indices.contains(index) { return sums[index] }
    if let known = beyond[index] { return known }
    let first = lags.lowerBound + index
    var total = 0.0
    for place in max(0, -first)..<max(0, -first, min(template.count, recording.count - first)) {
      let value = Double(recording[first + place])
      if value.isFinite { total += value * (template[place] - mean) }
    }
    beyond[index] = total
    return total
  }

  /// For each place from one lag before a top to one behind it, the weights of the lags about it.
  private static let kernels: [[Double]] = (-steps...steps).map { place in
    (-WindowedSinc.reach...WindowedSinc.reach).map {
      WindowedSinc.weight(Double($0) - Double(place) / Double(steps))
    }
  }
}
