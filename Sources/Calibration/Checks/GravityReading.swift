private import Glibc
import Units

/// What gravity says of an accelerometer at rest.
///
/// A sensor that feels gravity shows its scale and how it stands. One that does not, because it is
/// coupled by a capacitor or its axis lies level, shows neither.
struct GravityReading: Sendable, Equatable {
  /// How far gravity reads off, as a share of it; nil where the sensor does not show it.
  ///
  /// A tilt by t makes it read cos t, and every motion along the true axis alike.
  let deviation: Double?

  private static let standard = 9.80665
  /// Less than this share of gravity is an axis that lies level, or an offset.
  private static let faintest = 0.25
  /// Three axes see all of gravity, whatever their tilt.
  private static let wholeLimit = 0.04

  /// Judges the means of the axes at rest; throws for mixed units, a sensor that is upside down, a
  /// tilt and a wrong scale.
  ///
  /// - Parameters:
  ///   - offsets: The means in m/s2.
  ///   - names: The axes.
  ///   - uncertainty: The relative standard uncertainty of the sensitivity; nil without a certificate.
  /// - Throws: A refusal that names what is wrong.
  init(
    _ offsets: [Double], _ names: [String], uncertainty: Double?
  ) throws(CalibrationRefusal) {
    let size = offsets.reduce(0) { $0 + $1 * $1 }.squareRoot()
    try Self.checkUnits(size)
    if offsets.count < 3, size < Self.faintest * Self.standard {
      deviation = nil
      return
    }
    // No axis shows anything of it: the sensor does not pass what is constant.
    if size < 0.5 {
      deviation = nil
      return
    }
    let limit =
      offsets.count >= 3
      ? Self.wholeLimit : uncertainty.map { max(0.025, min(0.1, 2 * $0)) } ?? 0.03
    let share = size / Self.standard
    guard abs(share - 1) <= limit else { throw Self.refusal(size, names) }
    let strongest = offsets.indices.max { abs(offsets[$0]) < abs(offsets[$1]) } ?? 0
    if offsets[strongest] < 0, abs(offsets[strongest]) > 0.8 * size {
      throw CalibrationRefusal(
        .sensorPolarity,
        "gravity pulls axis \(names[strongest]) the wrong way: the accelerometer is upside down; turn "
          + "it over")
    }
    deviation = abs(share - 1)
  }

  private static func checkUnits(_ size: Double) throws(CalibrationRefusal) {
    for (expected, sentence) in [
      (1.0, "g are taken for m/s2: multiply the sensor's scale by 9.80665"),
      (standard * standard, "m/s2 are taken for g: divide the sensor's scale by 9.80665"),
    ] where abs(size / expected - 1) < 0.04 {
      throw CalibrationRefusal(
        .sensorUnits,
        "at rest the accelerometer reads \(text(size)) m/s2 where gravity is 9.807: units mixed up, "
          + sentence)
    }
  }

  private static func refusal(_ size: Double, _ names: [String]) -> CalibrationRefusal {
    let share = size / standard
    if names.count >= 3 {
      return CalibrationRefusal(
        .sensorUnits,
        "at rest the accelerometer's axes together read \(text(size)) m/s2 where gravity is 9.807: "
          + "correct its scale in the rig file ('haprig sensor --flip' measures it)")
    }
    let axes = names.count > 1 ? "axes \(names.joined(separator: " and "))" : "axis \(names[0])"
    let read = "at rest \(axes) of the accelerometer read\(names.count > 1 ? "" : "s") "
    let scale = "correct its scale in the rig file ('haprig sensor --flip' measures it)"
    guard share < 1 else {
      return CalibrationRefusal(
        .sensorUnits,
        read
          + "\(text(size)) m/s2 where gravity is 9.807: its scale is \(text(share)) times what it "
          + "should be; \(scale)")
    }
    let tilt = Int((acos(share) * 180 / .pi).rounded())
    return CalibrationRefusal(
      .sensorTilt,
      read
        + "\(text(size)) m/s2 where gravity is 9.807: the sensor is tilted by \(tilt) degrees, or its "
        + "scale is \(text(share)) times what it should be; set its axis upright, or level where the "
        + "actuator moves so, or \(scale)")
  }
}
