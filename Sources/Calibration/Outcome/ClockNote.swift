import SignalAnalysis
import Units

extension Knowledge {
  /// What is said of the sensor's clock where it is not the drive's; nil where it is, or is not known.
  var clockNote: String? {
    guard let ppm = clockOffset else { return nil }
    let spread = 1e6 * Statistics.moments(clockOffsets.map(\.value)).sigma
    let uncertainty = max(
      Self.finest, spread, 1e6 * Statistics.median(clockOffsets.map(\.uncertainty)))
    guard abs(ppm) > max(Self.sameClock, 3 * uncertainty) else { return nil }
    let told = EngineeringFormat.text(abs(ppm), .partsPerMillion, uncertainty: uncertainty)
    return
      "The sensor's clock runs \(told) \(ppm > 0 ? "fast" : "slow") against the drive's; every "
      + "response was brought to the drive's clock."
  }

  /// How much faster the sensor's clock runs than the drive's, in ppm; nil where no segment tells.
  var clockOffset: Double? {
    clockOffsets.isEmpty ? nil : 1e6 * Statistics.median(clockOffsets.map(\.value))
  }

  /// Clocks no further apart than this, in ppm, are the same.
  private static let sameClock = 1.0
  /// No rate is told more finely, in ppm.
  private static let finest = 0.01
}
