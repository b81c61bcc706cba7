/// Samples of one quantity at one rate, with its unit.
public struct Signal: Sendable, Equatable {
  /// The samples in order, in `unit`.
  public var samples: [Float]
  /// How many samples a second.
  public let rate: SampleRate
  /// What one sample counts.
  public let unit: MeasurementUnit

  /// Makes a signal.
  public init(samples: [Float], rate: SampleRate, unit: MeasurementUnit) {
    self.samples = samples
    self.rate = rate
    self.unit = unit
  }

  /// The length in seconds.
  public var duration: Double { Double(samples.count) / rate.hertz }
}
