public import SignalAnalysis

/// The electrical loop in one stream, from a start of the devices to their stop.
public struct LatencyStream: Sendable, Equatable {
  /// The delay at drive frame 0, in frames.
  public let delay: Estimate
  /// How much faster the capture counts than the drive, in ppm.
  public let drift: Estimate
  /// The standard deviation of single sweeps about the line, in frames.
  public let scatter: Double
  /// The smallest standard deviation of one sweep that white noise of the residual's power allows, in
  /// frames.
  public let cramerRaoBound: Double
  /// Sweep over residual, over the full band, in dB: the median.
  public let signalToNoise: Double
  /// What a drive of 1 comes back as.
  public let gain: Double
  /// How many sweeps the line goes through.
  public let sweepCount: Int
  /// Sweeps that were left out, with the reason.
  public let rejected: [String]
}

/// Why no latency is given.
public struct LatencyRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence: what was found and what to do.
  public let description: String

  init(_ description: String) { self.description = description }

  static let noCaptureReference = LatencyRefusal(
    "the rig's capture has no reference channel: wire one and name it")
}
