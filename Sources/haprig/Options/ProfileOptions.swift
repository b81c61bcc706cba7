import ArgumentParser
import Bench
import Devices
import Profiles
import RunArchive

/// The calibration that an actuator is driven by.
struct ProfileOptions: ParsableArguments {
  @Option(
    name: .long,
    help:
      "The actuator's profile (calibration/ID.json), or a folder of profiles; none: uncalibrated.",
    completion: .file(extensions: ["json"]))
  var profile: String?

  /// Reads the profile of a rig's first actuator and makes sure that it may drive it.
  func read(for rig: RigDescription, laws: LawOptions) throws -> LoadedProfile? {
    guard let profile else { return nil }
    return try ExitStatus.of {
      let actuator = rig.actuators[0]
      let loaded = try LoadedProfile(path: profile, actuator: actuator.id)
      do {
        try loaded.profile.check(
          actuator: actuator.id, laws: laws.asked(of: loaded.profile.laws),
          limits: DriveLimits(actuator.limits))
      } catch {
        throw InputError("\(loaded.path): \(error)")
      }
      if let level = laws.referenceLevel, level != loaded.profile.laws.referenceLevel {
        throw InputError(
          "\(loaded.path): the profile's reference level is "
            + "\(loaded.profile.laws.referenceLevel) dB, but --reference-level \(level) is asked for: "
            + "re-target it with 'haprig calibrate --fleet'")
      }
      return loaded
    }
  }
}

/// A profile as it was read from a file.
struct LoadedProfile {
  let path: String
  let hash: ContentHash
  let profile: CalibrationProfile

  /// Reads a profile; of a folder, the one of an actuator.
  init(path: String, actuator: String? = nil) throws {
    let isFolder = !path.hasSuffix(".json")
    guard !isFolder || actuator != nil else {
      throw InputError("\(path): name a profile, a file that ends in .json")
    }
    let file = isFolder ? ProfileFolder(path: path).file(of: actuator ?? "") : path
    let bytes = try RegularFile(path: file).bytes(limit: CalibrationProfile.largestText)
    do {
      profile = try CalibrationProfile(parsing: bytes)
    } catch {
      throw InputError("\(file):\(error)")
    }
    self.path = file
    hash = ContentHash(of: bytes)
  }

  /// What a record says of the calibration.
  var account: String { "\(profile.actuator.id), sha256 \(hash)" }
}

/// A folder of profiles, one file an actuator.
struct ProfileFolder {
  let path: String

  /// The file of an actuator.
  func file(of actuator: String) -> String {
    (path.hasSuffix("/") ? path : path + "/") + actuator + ".json"
  }
}
