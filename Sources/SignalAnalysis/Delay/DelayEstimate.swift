/// Where a known waveform stands in a recording, and how surely.
public struct DelayEstimate: Sendable, Equatable {
  /// The frame of the recording at which the waveform's frame 0 stands, with its fraction.
  public let delay: Double
  /// One standard deviation of the delay in frames: the larger of what the residual says and the bound.
  public let uncertainty: Double
  /// The smallest standard deviation, in frames, that white noise of the residual's power allows.
  public let cramerRaoBound: Double
  /// The recording's amplitude over the waveform's; negative where the polarity is turned.
  public let gain: Double
  /// The correlation coefficient of recording and waveform at the best whole frame, -1 to 1.
  public let correlation: Double
  /// The largest correlation outside the lobe of the best, over the best: 0 for none, 1 for a draw.
  public let ambiguity: Double
  /// The power of the waveform over the power of what is left without it, over the full band, in dB.
  public let signalToNoise: Double

  /// Makes an estimate; `DelayEstimator` is what measures one.
  public init(
    delay: Double, uncertainty: Double, cramerRaoBound: Double, gain: Double, correlation: Double,
    ambiguity: Double, signalToNoise: Double
  ) {
    self.delay = delay
    self.uncertainty = uncertainty
    self.cramerRaoBound = cramerRaoBound
    self.gain = gain
    self.correlation = correlation
    self.ambiguity = ambiguity
    self.signalToNoise = signalToNoise
  }
}

/// Why no delay is given.
public enum DelayError: Error, Equatable, CustomStringConvertible {
  /// The waveform is not in the part of the recording that was searched.
  case notFound(reason: String)
  /// A sample of the recording is not a finite number.
  case notFinite(frame: Int)

  /// One sentence.
  public var description: String {
    switch self {
    case .notFound(let reason): "the known waveform was not found: \(reason)"
    case .notFinite(let frame): "frame \(frame) of the recording is not a finite number"
    }
  }
}
