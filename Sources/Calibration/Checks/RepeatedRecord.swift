import SignalAnalysis
import Units

/// A segment's response that was not as it should be, kept to see whether the next one is the same.
///
/// A mass that strikes its stop does so alike each time; a sensor that slips or rattles does not.
struct RepeatedRecord: Sendable {
  /// The motion in m/s2.
  let output: [Float]
  /// How often in a row the next record was another.
  var differences = 0
  /// When in the segment a blow was seen, in seconds.
  var blow: Double?

  /// The share of the motion by which two records of a thing that repeats do not differ.
  static let sameMotion = 0.08

  /// How much two records differ where they are strongest, or around a frame, as a share of the motion.
  ///
  /// Stretches of 10 ms; of those with more than 0.7 of the strongest motion, or within 35 ms, the upper
  /// quartile. Both are band-passed, so that the part of a frame by which two takes stand apart hardly
  /// counts, and twice the noise, an rms within the band, is taken off.
  static func difference(
    _ first: [Float], _ second: [Float], rate: SampleRate, noise: Double, around frame: Int? = nil
  ) -> Double {
    let filter = BandPass(RestCheck.band(rate))
    let (a, b) = (filter.apply(to: first, rate: rate), filter.apply(to: second, rate: rate))
    let size = max(8, rate.wholeFrames(0.010))
    let count = min(a.count, b.count) / size
    func power(_ block: Int, _ value: (Int) -> Double) -> Double {
      (block * size..<(block + 1) * size).reduce(0) { $0 + value($1) * value($1) }
    }
    let motion = (0..<count).map { block in
      power(block) { a[$0] } + power(block) { b[$0] }
    }
    guard let top = motion.max(), top > 0 else { return 0 }
    let place = frame.map { max(0, min(count - 1, $0 / size)) }
    let shares = motion.indices.compactMap { block -> Double? in
      let isChosen = place.map { abs($0 - block) <= 3 } ?? (motion[block] > 0.5 * top)
      guard isChosen, motion[block] > 0 else { return nil }
      let apart = power(block) { a[$0] - b[$0] } - 8 * noise * noise * Double(size)
      return (max(0, apart) / motion[block]).squareRoot()
    }.sorted()
    return shares.isEmpty ? 0 : shares[3 * (shares.count - 1) / 4]
  }
}
