private import Glibc

/// What a sensor's low-pass does that the rig file does not tell of.
///
/// Taken as a filter of first order whose corner may lie as low as 1 kHz, at which accelerometers for
/// vibration begin: the response falls by 1 / sqrt(1 + (f / fc)^2), and a low-pass of second order there
/// delays by sqrt(2) / (2 pi fc). Half of the fall is the standard uncertainty, with the 1 % of an even response.
struct FilterDoubt: Sendable, Equatable {
  /// Whether nothing is known.
  let isUnknown: Bool

  private static let corner = 1_000.0

  /// One standard deviation of the delay in seconds.
  var delay: Double { isUnknown ? 2.0.squareRoot() / (2 * .pi * Self.corner) : 0 }

  /// One standard deviation of a gain at a frequency, as a share.
  func gain(at frequency: Double) -> Double {
    guard isUnknown else { return 0 }
    let ratio = frequency / Self.corner
    return hypot(0.01, 0.5 * (1 - 1 / (1 + ratio * ratio).squareRoot()))
  }
}

extension CalibrationSubject {
  /// What is not known of the sensor's low-pass.
  var filterDoubt: FilterDoubt { FilterDoubt(isUnknown: sensorBandwidth == nil) }
}
