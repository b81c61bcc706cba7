private import Glibc
public import Units

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
    if frequency < low { return Self.rise((frequency - low / 2) / (low / 2)) }
    return Self.rise((1.25 * high - frequency) / (0.25 * high))
  }

  /// Filters samples and keeps their count and their time.
  ///
  /// Zeros stand beyond both ends. Costs two transforms.
  public func apply(to samples: [Float], rate: SampleRate) -> [Double] {
    filtered(samples, rate: rate) { plan, bins in
      Self.back(plan: &plan, count: samples.count) { product in
        for index in bins.indices { product[index] = bins[index] }
      }
    }
  }

  /// The filtered samples with, as imaginary parts, the same turned by 90 degrees.
  ///
  /// With a resonance, what it does to them is undone.
  func analytic(
    _ samples: [Float], rate: SampleRate, undoing resonance: Resonance? = nil
  ) -> [Complex] {
    filtered(samples, rate: rate, undoing: resonance) { plan, bins in
      let real = Self.back(plan: &plan, count: samples.count) { product in
        for index in bins.indices { product[index] = bins[index] }
      }
      let turned = Self.back(plan: &plan, count: samples.count) { product in
        for index in bins.indices {
          product[index] = Complex(bins[index].imaginary, -bins[index].real)
        }
      }
      return zip(real, turned).map { Complex($0, $1) }
    }
  }

  private static func back(
    plan: inout FourierTransform, count: Int, filling fill: (UnsafeMutablePointer<Complex>) -> Void
  ) -> [Double] {
    let scale = 1 / Double(plan.length)
    let samples = plan.inverse(filling: fill)
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

  private static func rise(_ share: Double) -> Double {
    0.5 - 0.5 * cos(.pi * max(0, min(1, share)))
  }
}
