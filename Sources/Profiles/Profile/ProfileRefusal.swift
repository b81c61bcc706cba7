private import Perception

/// Why a profile cannot be used here.
public enum ProfileRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// It is of another actuator.
  case otherActuator(profile: String, wanted: String)
  /// It was made under other laws.
  case otherLaws(what: String, profile: String, wanted: String)
  /// It allows more than the rig.
  case widerLimits(what: String, profile: String, rig: String)

  /// One sentence: what, what was expected, what to do.
  public var description: String {
    switch self {
    case .otherActuator(let profile, let wanted):
      "the profile is of the actuator '\(profile)', but '\(wanted)' is to be driven: give its own "
        + "profile, or calibrate it"
    case .otherLaws(let what, let profile, let wanted):
      "the profile was made with the \(what) '\(profile)', but '\(wanted)' is asked for: ask for "
        + "'\(profile)', or calibrate again"
    case .widerLimits(let what, let profile, let rig):
      "the profile allows \(what) of \(profile), but the rig file \(rig): calibrate again within "
        + "the rig's limits"
    }
  }
}

extension CalibrationProfile {
  /// Makes sure that the profile may drive an actuator of a rig.
  ///
  /// Another schema is refused where the profile is read.
  ///
  /// - Parameters:
  ///   - actuator: The actuator's identifier on the rig.
  ///   - laws: The laws that are asked for; nil takes the profile's. Levels are the profile's own.
  ///   - limits: The rig's limits for the actuator.
  /// - Throws: A ``ProfileRefusal`` with the first reason against it.
  public func check(
    actuator: String, laws: ProfileLaws? = nil, limits: DriveLimits
  ) throws(ProfileRefusal) {
    guard self.actuator.id == actuator else {
      throw .otherActuator(profile: self.actuator.id, wanted: actuator)
    }
    if let laws { try check(laws) }
    try check(limits)
  }

  private func check(_ wanted: ProfileLaws) throws(ProfileRefusal) {
    guard laws.intensity == wanted.intensity else {
      throw .otherLaws(
        what: "intensity law", profile: laws.intensity.name, wanted: wanted.intensity.name)
    }
    guard laws.sharpness == wanted.sharpness else {
      throw .otherLaws(
        what: "sharpness law", profile: laws.sharpness.name, wanted: wanted.sharpness.name)
    }
    guard laws.contour == wanted.contour else {
      throw .otherLaws(
        what: "contour", profile: laws.contour.name, wanted: wanted.contour.name)
    }
  }

  private func check(_ rig: DriveLimits) throws(ProfileRefusal) {
    // A file's numbers may have been converted from other units: a part in a billion is no more.
    func isWider(_ own: Double, _ other: Double) -> Bool { own > other * (1 + 1e-9) }
    if isWider(limits.continuousVolts, rig.continuousVolts) {
      throw .widerLimits(
        what: "a continuous drive", profile: "\(limits.continuousVolts) Vrms",
        rig: "\(rig.continuousVolts) Vrms")
    }
    if isWider(limits.peakVolts, rig.peakVolts) {
      throw .widerLimits(
        what: "a peak", profile: "\(limits.peakVolts) V", rig: "\(rig.peakVolts) V")
    }
    if let slope = rig.slope, isWider(limits.slope ?? .infinity, slope) {
      throw .widerLimits(
        what: "a slope", profile: limits.slope.map { "\($0) V/s" } ?? "any size",
        rig: "\(slope) V/s")
    }
    if isWider(limits.thermalTime, rig.thermalTime) {
      throw .widerLimits(
        what: "a thermal time", profile: "\(limits.thermalTime) s", rig: "\(rig.thermalTime) s")
    }
  }
}
