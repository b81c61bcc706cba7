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
    let sums = samples.lazy.map { Double($0) * Double($0) }.runningSums()
    return samples.indices.map { index in
      let (first, end) = (max(0, index - half), min(samples.count, index + half + 1))
      return (max(0, sums[end] - sums[first]) / Double(end - first)).squareRoot()
    }
  }
}

/// A band-pass without phase: what lies outside a band is taken out of the spectrum.
///
/// The response is 1 inside, 0 below half the lower and above 1.25 times the upper frequency, and
/// follows a raised cosine between.
public struct BandPass: Sendable, Equatable {
  /// The band that passes unchanged, in hertz.
  public let band: ClosedRange<Double>

  /// Makes a filter; traps unless the lower frequency is above zero.
  public init(_ band: ClosedRange<Double>) {
    precondition(band.lowerBound > 0, "a band from \(band.lowerBound) Hz")
    self.band = band
  }

  /// The factor at a frequency in hertz, 0 to 1.
  public func response(at frequency: Double) -> Double {
    let (low, high) = (band.lowerBound, band.upperBound)
    guard !band.contains(frequency) else { return 1 }
    guard frequency > low / 2, frequency < 1.25 * high else { return 0 }
    if frequency < low { return RaisedCosine.rise((frequency - low / 2) / (low / 2)) }
    return RaisedCosine.rise((1.25 * high - frequency) / (0.25 * high))
  }

  /// Filters samples and keeps their count and their time.
  ///
  /// Zeros stand beyond both ends. Costs two transforms.
  public func apply(to samples: [Float], rate: SampleRate) -> [Double] {
    filtered(samples, rate: rate) { plan, bins in
      Self.back(bins, &plan, count: samples.count) { $0 }
    }
  }

  /// The filtered samples with, as imaginary parts, the same turned by 90 degrees.
  ///
  /// With a resonance, what it does to them is undone.
  func analytic(
    _ samples: [Float], rate: SampleRate, undoing resonance: Resonance? = nil
  ) -> [Complex] {
    filtered(samples, rate: rate, undoing: resonance) { plan, bins in
      let real = Self.back(bins, &plan, count: samples.count) { $0 }
      let turned = Self.back(bins, &plan, count: samples.count) { Complex($0.imaginary, -$0.real) }
      return zip(real, turned).map { Complex($0, $1) }
    }
  }

  private static func back(
    _ bins: [Complex], _ plan: inout FourierTransform, count: Int, _ change: (Complex) -> Complex
  ) -> [Double] {
    let scale = 1 / Double(plan.length)
    let samples = plan.inverse { product in
      for index in bins.indices { product[index] = change(bins[index]) }
    }
    return (0..<count).map { samples[$0] * scale }
  }

  private func filtered<Value>(
    _ samples: [Float], rate: SampleRate, undoing resonance: Resonance? = nil,
    _ body: (inout FourierTransform, [Complex]) -> Value
  ) -> Value {
    // The filter rings for some periods of its lower edge: room for them, so that nothing wraps.
    let room = Int(rate.frames(4 / band.lowerBound))
    var transform = FourierTransform(
      length: FourierTransform.commonLength(atLeast: samples.count + room))
    var bins = transform.forward(samples.span)
    for index in bins.indices {
      let frequency = Double(index) * rate.hertz / Double(transform.length)
      let share = response(at: frequency)
      bins[index] = share * bins[index]
      if share > 0, let resonance { bins[index] = bins[index] / resonance.response(at: frequency) }
    }
    return body(&transform, bins)
  }
}
