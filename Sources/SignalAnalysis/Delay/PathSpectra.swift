import Units

/// The mean transfer function of passages of a known waveform, and how surely it is known.
///
/// Every passage is turned back by its own delay. Only bins in which the waveform is strong are kept,
/// and some neighbours at a time are one point; amplitudes are over the gain, so that one path of
/// nothing but gain and delay is 1 throughout.
struct PathSpectra {
  /// Radians a frame.
  let angular: [Double]
  /// What came back over the waveform.
  let response: [Complex]
  /// One standard deviation of the real, and of the imaginary, part of the response.
  let sigma: [Double]

  /// The highest frequency in radians a frame.
  var highest: Double { angular.last ?? 0 }
  /// The lowest frequency in radians a frame.
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
    var (angular, response, sigma): ([Double], [Complex], [Double]) = ([], [], [])
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
    self.angular = angular
    self.response = response
    self.sigma = sigma
  }
}
