public import Units

/// How the strength of a vibration runs with time.
public enum Envelope {
  /// The amplitude of a band-limited signal: the modulus of its analytic signal (Hilbert).
  ///
  /// One value a sample, not delayed, in the signal's unit: a steady sine has its peak value.
  /// With a resonance, of what drives it: what the resonance does to the signal is undone, its ringing with it.
  /// Costs three transforms.
  public static func hilbert(
    _ samples: [Float], rate: SampleRate, band: ClosedRange<Double> = 20...1_000,
    undoing resonance: Resonance? = nil
  ) -> [Double] {
    BandPass(band).analytic(samples, rate: rate, undoing: resonance).map(\.magnitude)
  }

  /// The root of the mean square over a window that moves along, one value a sample.
  ///
  /// The window of `frames` samples, made odd, stands with its middle on each sample; at the ends it
  /// is cut. Costs O(n).
  public static func movingRMS(_ samples: [Float], frames: Int) -> [Double] {
    precondition(frames > 0, "a window of \(frames) frames")
    let half = frames / 2
    var sums: [Double] = [0]
    sums.reserveCapacity(samples.count + 1)
    var sum = 0.0
    for sample in samples {
      sum += Double(sample) * Double(sample)
      sums.append(sum)
    }
    return samples.indices.map { index in
      let (first, end) = (max(0, index - half), min(samples.count, index + half + 1))
      return (max(0, sums[end] - sums[first]) / Double(end - first)).squareRoot()
    }
  }
}
