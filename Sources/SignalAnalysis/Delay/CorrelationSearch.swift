/// The whole lag at which a recording is most like a waveform.
///
/// Blocks of the recording are correlated by FFT (overlap-save); the energy under the waveform comes
/// from running sums, so that the coefficient is Pearson's at every lag, whatever offset there is.
struct CorrelationSearch {
  let template: [Double]

  struct Peak {
    let lag: Int
    let correlation: Double
    let ambiguity: Double
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
      return Peak(lag: lags.lowerBound, correlation: 0, ambiguity: 0, candidates: [])
    }
    // The lobe of the best reaches to the nearest change of sign on either side.
    var (first, last) = (best, best)
    while first > 0, coefficients[first - 1] * top > 0 { first -= 1 }
    while last < coefficients.count - 1, coefficients[last + 1] * top > 0 { last += 1 }
    let second = (coefficients[..<first] + coefficients[(last + 1)...]).reduce(0) {
      max($0, abs($1))
    }
    return Peak(
      lag: lags.lowerBound + best, correlation: max(-1, min(1, top)),
      ambiguity: second / abs(top),
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
    var total: [Double] = [0]
    var squares: [Double] = [0]
    total.reserveCapacity(frames.count + 1)
    squares.reserveCapacity(frames.count + 1)
    var (sum, square) = (0.0, 0.0)
    for frame in frames {
      let value = Double(recording[frame])
      sum += value
      square += value * value
      total.append(sum)
      squares.append(square)
    }
    // Below this the difference of two running sums is rounding, and the stretch counts as silent.
    let floor = 1e-12 * square
    var coefficients = sums
    for index in sums.indices {
      let inside = total[index + size] - total[index]
      let energy = squares[index + size] - squares[index] - inside * inside / Double(size)
      coefficients[index] = energy > floor ? sums[index] / (own * energy).squareRoot() : 0
    }
    return coefficients
  }
}
