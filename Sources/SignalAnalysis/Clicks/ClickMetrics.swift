/// What a short transient did: its strength, its times, and how much rings on after it.
///
/// The windows and the pulse-to-ring ratio are this project's own definition: the pulse lasts from the
/// onset until the envelope has fallen to half of its peak, at least to the end of the drive; the ring is
/// the rest until the envelope reaches 3 standard deviations of the noise, at least 5 and at most 200 ms.
public struct ClickMetrics: Sendable, Equatable {
  /// The first passage of the onset threshold.
  public let onset: OnsetDetector.Onset
  /// The largest excursion, with its sign, in the signal's unit.
  public let peak: Amplitude.Peak
  /// The highest value of the envelope, and the frame at which it stands.
  public let envelopePeak: Amplitude.Peak
  /// Pulse and ring against each other.
  public let balance: PulseBalance
  /// The time from 10 to 90 % of the envelope's peak, in seconds.
  public let riseTime: Double?
  /// How long the envelope is above half of its peak, in seconds.
  public let peakDuration: Double
  /// The time from the envelope's peak until it is below 10 % for good, in seconds.
  ///
  /// Nil where noise hides that level: where it is below 5 standard deviations.
  public let decayTime: Double?
  /// The time from the end of the intended event until the envelope is 20 dB below its peak for good.
  ///
  /// In seconds; below zero where that is reached before. Nil as `decayTime` is.
  public let tailTime: Double?
  /// The weighted energy of pulse and ring, less the noise's, in the square of the unit times seconds.
  public let energy: Estimate
  /// The centre of the energy over frequency, in hertz.
  public let centroid: Double?

  /// The ratio of pulse to ring over the peak's duration, in dB a millisecond.
  ///
  /// Of the form of Android's figure of merit for clicks, by the definitions here.
  public var figureOfMerit: Double? {
    peakDuration > 0 ? balance.ratio.map { $0 / (1e3 * peakDuration) } : nil
  }
}

/// How a transient's energy is shared between its pulse and what rings after it.
public struct PulseBalance: Sendable, Equatable {
  /// The frames of the pulse.
  public let pulse: Range<Int>
  /// The frames of the ring.
  public let ring: Range<Int>
  /// The energy of the pulse, less the noise's, not weighted.
  public let pulseEnergy: Estimate
  /// The energy of the ring, less the noise's, not weighted.
  public let ringEnergy: Estimate

  /// The ratio of pulse to ring in dB, less the noise of both.
  ///
  /// Where the ring is no more than its uncertainty, that stands in its place: the ratio is then a
  /// lower bound, as `isBound` says. Nil where the pulse is not above its own noise.
  public var ratio: Double? {
    let ring = max(ringEnergy.value, ringEnergy.uncertainty)
    guard pulseEnergy.value > 0, ring > 0 else { return nil }
    return ClickMetrics.decibels(pulseEnergy.value / ring)
  }

  /// Whether the ratio is a lower bound only.
  public var isBound: Bool { ringEnergy.value <= ringEnergy.uncertainty }
}
