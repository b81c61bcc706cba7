public import SignalAnalysis
public import Units

/// What the sensors delivered while a segment was played, on the capture's clock.
///
/// Frame k of every list is the same instant; frame 0 is where the segment's frame 0 arrives on the
/// reference, or where it was sent where there is none.
public struct SegmentResponse: Sendable, Equatable {
  /// One axis of the accelerometer.
  public struct Axis: Sendable, Equatable {
    /// `x`, `y`, `z`, or the channel's name where the rig file has no axis.
    public let name: String
    /// m/s2, one sample a frame.
    public let samples: [Float]
    /// The acceleration at which the converter clips, where it is known.
    public let fullScale: Double?

    /// Makes an axis.
    public init(name: String, samples: [Float], fullScale: Double? = nil) {
      self.name = name
      self.samples = samples
      self.fullScale = fullScale
    }
  }

  /// Frames a second.
  public let rate: SampleRate
  /// The voltage at the actuator: the reference as captured, or the drive as sent.
  public let input: [Float]
  /// Whether `input` was captured.
  public let inputIsMeasured: Bool
  /// The accelerometer's axes; the first is the one that the rig file puts first.
  public let axes: [Axis]
  /// Volts at the coil, where a channel measures them.
  public let voltage: [Float]?
  /// Amperes through the coil, where a channel measures them.
  public let current: [Float]?
  /// Stretches that hold no true sample.
  public let gaps: [Range<Int>]
  /// The frame that is the segment's frame 0.
  ///
  /// What stands before it is silence; noise is read from it.
  public let lead: Int
  /// How the electrical delay was found to scatter, in seconds; `nil` without a reference.
  public let delayUncertainty: Double?
  /// Capture clock against drive clock, in ppm, where the samples are still on the capture's.
  public let drift: Double?
  /// How much faster the capture counted than the drive, as a share, where it was found and taken out.
  public let clock: Estimate?

  /// The response within some of its frames, without what was lost outside of them.
  func limited(to frames: Range<Int>) -> SegmentResponse {
    func part(_ samples: [Float]) -> [Float] { Array(samples[frames.clamped(to: samples.indices)]) }
    return SegmentResponse(
      rate: rate, input: part(input), inputIsMeasured: inputIsMeasured,
      axes: axes.map { Axis(name: $0.name, samples: part($0.samples), fullScale: $0.fullScale) },
      voltage: voltage.map(part), current: current.map(part),
      gaps: gaps.map { $0.clamped(to: frames) }.filter { !$0.isEmpty }
        .map { $0.lowerBound - frames.lowerBound..<$0.upperBound - frames.lowerBound },
      lead: max(0, lead - frames.lowerBound), delayUncertainty: delayUncertainty, drift: drift,
      clock: clock)
  }

  /// Makes a response; every list has one length.
  public init(
    rate: SampleRate, input: [Float], inputIsMeasured: Bool, axes: [Axis], voltage: [Float]? = nil,
    current: [Float]? = nil, gaps: [Range<Int>] = [], lead: Int = 0,
    delayUncertainty: Double? = nil, drift: Double? = nil, clock: Estimate? = nil
  ) {
    self.rate = rate
    self.input = input
    self.inputIsMeasured = inputIsMeasured
    self.axes = axes
    self.voltage = voltage
    self.current = current
    self.gaps = gaps
    self.lead = lead
    self.delayUncertainty = delayUncertainty
    self.drift = drift
    self.clock = clock
  }
}
