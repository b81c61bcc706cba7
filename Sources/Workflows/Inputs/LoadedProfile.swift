import Acceptance
import Actuators
import Bench
public import Devices
public import Profiles
import RunArchive

/// A profile as it was read from a file.
public struct LoadedProfile: Sendable {
  /// The file.
  public let path: String
  let hash: ContentHash
  /// What it says.
  public let profile: CalibrationProfile

  /// Reads a profile.
  public init(file: String) throws {
    guard file.hasSuffix(".json") else {
      throw InputError("\(file): name a profile, a file that ends in .json")
    }
    let bytes = try RegularFile(path: file).bytes(limit: CalibrationProfile.largestText)
    do {
      profile = try CalibrationProfile(parsing: bytes)
    } catch {
      throw InputError("\(file):\(error)")
    }
    path = file
    hash = ContentHash(of: bytes)
  }

  /// Reads a profile, of a folder that of the rig's first actuator, and makes sure that it may drive the
  /// actuator there, under the laws asked for.
  public init(
    path: String, for rig: RigDescription, asking laws: RequestedLaws? = nil
  ) throws {
    let actuator = rig.actuators[0]
    try self.init(
      file: path.hasSuffix(".json") ? path : ProfileFolder(path: path).file(of: actuator.id))
    do {
      try profile.check(
        for: actuator, laws: laws?.asked(of: profile.laws),
        conditions: ProfileConditions(axis: rig.capture.axes))
    } catch {
      throw InputError("\(self.path): \(error)")
    }
  }

  /// Reads the profile that a rig's first actuator is to be driven by.
  ///
  /// - Parameters:
  ///   - choice: A profile, a folder of profiles, or `none`; where it is `nil`, none.
  ///   - rig: The rig.
  ///   - laws: The laws that are asked for.
  ///   - user: Is told where the rig is much warmer or colder than the profile.
  /// - Returns: The profile; `nil` drives the actuator uncalibrated.
  /// - Throws: `InputError` where it cannot be read, or may not drive the actuator.
  public static func chosen(
    _ choice: String?, for rig: RigDescription, laws: RequestedLaws, by user: RigOperator
  ) throws -> LoadedProfile? {
    guard let choice, choice != PlanProfile.none else { return nil }
    let loaded = try LoadedProfile(path: choice, for: rig, asking: laws)
    if let level = laws.referenceLevel, level != loaded.profile.laws.referenceLevel {
      throw InputError(
        "\(loaded.path): the profile's reference level is "
          + "\(loaded.profile.laws.referenceLevel) dB, but --reference-level \(level) is asked for: "
          + "re-target it with 'haprig calibrate --fleet'")
    }
    loaded.noteTemperature(on: rig, to: user)
    return loaded
  }

  /// Tells where the rig is much warmer or colder than the profile.
  func noteTemperature(on rig: RigDescription, to user: RigOperator) {
    if let note = profile.temperatureNote(at: rig.actuators[0].temperature) {
      user.notice(.note, note)
    }
  }

  /// What a record says of the calibration.
  var account: String { "\(profile.actuator.id), sha256 \(hash)" }
}
