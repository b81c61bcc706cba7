import Units

/// The energy of a stretch under a weight over frequency.
enum ClickEnergy {
  /// The integral of the weighted square over some frames, less that of the noise of the quiet frames.
  ///
  /// By Parseval: 2 dt / n times the sum over the band of (weight |X|)^2.
  static func weighted(
    _ samples: [Float], frames: Range<Int>, quiet: Range<Int>, rate: SampleRate,
    band: ClosedRange<Double>, weight: (Double) -> Double
  ) -> Estimate {
    let length = FourierTransform.fastLength(
      atLeast: max(frames.count, quiet.count, rate.wholeFrames(0.5)))
    var transform = FourierTransform(length: length)
    let width = rate.hertz / Double(length)
    let factors = (0..<transform.binCount).map { bin in
      let frequency = Double(bin) * width
      return band.contains(frequency) ? weight(frequency) : 0
    }
    func energy(_ frames: Range<Int>) -> Double {
      let stretch = Array(samples[frames])
      let bins = transform.forward(stretch.span)
      let sum = bins.indices.reduce(0.0) { $0 + factors[$1] * factors[$1] * bins[$1].power }
      return 2 * rate.period / Double(length) * sum
    }
    let share = Double(frames.count) / Double(max(1, quiet.count))
    let noise = share * energy(quiet)
    let rest = energy(frames) - noise
    let (squares, fourths) = factors.reduce((0.0, 0.0)) { sums, factor in
      let square = factor * factor
      return (sums.0 + square, sums.1 + square * square)
    }
    guard fourths > 0 else { return Estimate(0, uncertainty: 0) }
    // How many independent complex numbers noise of this weight has in the time of the frames.
    let bandwidth = squares * squares / fourths * width
    let freedom = max(1, bandwidth * rate.seconds(Double(frames.count)))
    // |A + N|^2 varies by 2 |A|^2 |N|^2 + |N|^4; the noise known from the quiet frames by its own share.
    let variance = noise * noise * (1 + share) / freedom + 2 * max(0, rest) * noise / freedom
    return Estimate(rest, uncertainty: variance.squareRoot())
  }
}
