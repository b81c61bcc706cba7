// SPDX-License-Identifier: Apache-2.0

public import Actuators
private import Perception

/// Why a profile cannot be used here.
public enum ProfileRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// It is of another actuator.
  case otherActuator(profile: String, wanted: String)
  /// It was made under other laws.
  case otherLaws(what: String, profile: String, wanted: String)
  /// It allows more than the rig.
  case widerLimits(what: String, profile: String, rig: String)
  /// It holds for other conditions than the rig's.
  case otherConditions(what: String, profile: String, rig: String)

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
    case .otherConditions(let what, let profile, let rig):
      "the profile was made with \(what) \(profile), but the rig file says \(rig): set the rig up as "
        + "it was, correct the rig file, or calibrate again as it is now"
    }
  }
}

extension CalibrationProfile {
  /// Makes sure that the profile may drive an actuator of a rig.
  ///
  /// Another schema is refused where the profile is read. Without laws the profile's own hold; levels always are
  /// the profile's. What the rig file or the profile leaves open of mass, contact, axis and mount is not compared; nor is
  /// the temperature, of which `temperatureNote` tells.
  public func check(
    for other: Actuator, laws: ProfileLaws? = nil,
    conditions: ProfileConditions = ProfileConditions()
  ) throws(ProfileRefusal) {
    guard actuator.id == other.id else {
      throw .otherActuator(profile: actuator.id, wanted: other.id)
    }
    try refuse("an actuator of the type", actuator.model, other.model)
    try refuse("an actuator of the kind", actuator.kind.rawValue, other.kind.rawValue)
    if let laws { try check(laws) }
    try check(actuator.limits, within: other.limits)
    try check(mass: other.mass, contact: other.contact, conditions)
  }

  private func check(
    mass: Double?, contact: String?, _ rig: ProfileConditions
  ) throws(ProfileRefusal) {
    if let own = actuator.mass, let other = mass, abs(own - other) > 0.02 * max(own, other) {
      func grams(_ mass: Double) -> String { "\((mass * 1e5).rounded() / 100) g" }
      throw .otherConditions(
        what: "a moving mass of", profile: grams(own), rig: grams(other))
    }
    try refuse("the contact", actuator.contact, contact)
    try refuse("the mount", conditions.mount, rig.mount)
    // Channels that a rig file gives no axis stand under their own names: those tell nothing.
    if let own = conditions.axes, let other = rig.axes, own.isDisjoint(with: other) {
      throw .otherConditions(
        what: "a sensor along", profile: conditions.axis ?? "", rig: rig.axis ?? "")
    }
  }

  private func refuse(
    _ what: String, _ profile: String?, _ rig: String?
  ) throws(ProfileRefusal) {
    guard let profile, let rig, profile.lowercased() != rig.lowercased() else { return }
    throw .otherConditions(what: what, profile: "'\(profile)'", rig: "'\(rig)'")
  }

  /// What a person should know who drives an actuator by the profile at another temperature, in degrees Celsius;
  /// nil where the two are close, or one of them is not known.
  ///
  /// Resonances and magnets follow the temperature: more than 10 K away the profile still drives, but
  /// its numbers are not proven.
  public func temperatureNote(at other: Double?) -> String? {
    guard let own = actuator.temperature, let other, abs(own - other) > 10 else { return nil }
    return "the profile of '\(actuator.id)' was made at \(own) degC and the rig file says \(other) "
      + "degC: what it promises is not proven there"
  }

  private func check(_ wanted: ProfileLaws) throws(ProfileRefusal) {
    let compared = [
      ("intensity law", laws.intensity == wanted.intensity, \ProfileLaws.intensity.name),
      ("sharpness law", laws.sharpness == wanted.sharpness, \.sharpness.name),
      ("contour", laws.contour == wanted.contour, \.contour.name),
    ]
    for (what, isSame, name) in compared where !isSame {
      throw .otherLaws(what: what, profile: laws[keyPath: name], wanted: wanted[keyPath: name])
    }
  }

  private func check(_ limits: DriveLimits, within rig: DriveLimits) throws(ProfileRefusal) {
    let compared = [
      ("a continuous drive", limits.continuousVolts, rig.continuousVolts, "Vrms"),
      ("a peak", limits.peakVolts, rig.peakVolts, "V"),
      ("a slope", limits.slope ?? .infinity, rig.slope ?? .infinity, "V/s"),
      ("a thermal time", limits.thermalTime, rig.thermalTime, "s"),
    ]
    // A file's numbers may have been converted from other units: a part in a billion is no more.
    for (what, own, other, unit) in compared where own > other * (1 + 1e-9) {
      throw .widerLimits(
        what: what, profile: own.isFinite ? "\(own) \(unit)" : "any size", rig: "\(other) \(unit)")
    }
  }
}
