import SignalAnalysis
import Units

/// The sensor's clock against the drive's, as the segments told it.
struct ClockFindings: Sendable {
  /// Its error as a share, segment by segment.
  private(set) var shares: [Double] = []
  /// The same where the responses were brought to the drive's clock before.
  private(set) var offsets: [Estimate] = []
  /// How the electrical delay scatters, in seconds, as the segments said.
  private(set) var delaySpread = 0.0

  /// Further from the drive's than this share it is a wrong rate and no clock that is off.
  private static let wrongRate = 0.06
  /// Clocks no further apart than this, in ppm, are the same.
  private static let sameClock = 1.0
  /// No rate is told more finely, in ppm.
  private static let finest = 0.01

  /// The clock's error as a share.
  var share: Double { shares.isEmpty ? 0 : Statistics.median(shares) }

  /// How much faster the sensor's clock runs than the drive's, in ppm; nil where no segment tells.
  var offset: Double? {
    offsets.isEmpty ? nil : 1e6 * Statistics.median(offsets.map(\.value))
  }

  /// Takes in what a response to silence says, which has no drive to be compared with.
  mutating func learn(fromRest response: SegmentResponse) {
    if let clock = response.clock { offsets.append(clock) }
  }

  /// Takes in what a response says; refuses a rate that is wrong.
  mutating func learn(from response: SegmentResponse) throws(CalibrationRefusal) {
    if let drift = response.drift { shares.append(1e-6 * drift) }
    if let clock = response.clock { offsets.append(clock) }
    delaySpread = max(delaySpread, response.delayUncertainty ?? 0)
    guard abs(share) < Self.wrongRate else {
      throw CalibrationRefusal(
        .sensorRate,
        "the sensor's clock differs by \(text(100 * share)) % from the reference's: correct the "
          + "rate of the capture in the rig file")
    }
  }

  /// What is said of the sensor's clock where it is not the drive's; nil where it is, or is not known.
  var note: String? {
    guard let ppm = offset else { return nil }
    let spread = 1e6 * Statistics.moments(offsets.map(\.value)).sigma
    let uncertainty = max(
      Self.finest, spread, 1e6 * Statistics.median(offsets.map(\.uncertainty)))
    guard abs(ppm) > max(Self.sameClock, 3 * uncertainty) else { return nil }
    let told = EngineeringFormat.text(abs(ppm), .partsPerMillion, uncertainty: uncertainty)
    return
      "The sensor's clock runs \(told) \(ppm > 0 ? "fast" : "slow") against the drive's; every "
      + "response was brought to the drive's clock."
  }
}
