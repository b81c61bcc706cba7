/// What a system answers to an impulse, band-limited, on a time axis of its own.
public struct ImpulseResponse: Sendable, Equatable {
  /// Samples a second: a little more than twice the highest frequency measured.
  public let sampleRate: Double
  /// The values from time zero on, the times below zero at the end: the axis is a circle.
  public let samples: [Double]

  /// Makes an impulse response.
  public init(sampleRate: Double, samples: [Double]) {
    self.sampleRate = sampleRate
    self.samples = samples
  }

  /// The length of the circle in seconds.
  public var period: Double { Double(samples.count) / sampleRate }

  /// The value at a whole number of samples from time zero, round the circle.
  public subscript(_ index: Int) -> Double {
    if samples.indices.contains(index) { return samples[index] }
    return samples[((index % samples.count) + samples.count) % samples.count]
  }
}
