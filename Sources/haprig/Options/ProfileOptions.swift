import Acceptance
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
      "The actuator's profile (calibration/ID.json), a folder of profiles, or 'none' (the plan's, else none).",
    completion: .file(extensions: ["json"]))
  var profile: String?

  /// Reads the profile of a rig's first actuator and makes sure that it may drive it.
  ///
  /// - Parameters:
  ///   - rig: The rig.
  ///   - laws: The laws that are asked for.
  ///   - planned: What a plan says, where the command line says nothing.
  /// - Returns: The profile; `nil` drives the actuator uncalibrated.
  /// - Throws: An `ExitStatus` where it cannot be read, or may not drive the actuator.
  func read(
    for rig: RigDescription, laws: LawOptions, planned: String? = nil
  ) throws -> LoadedProfile? {
    guard let profile = profile ?? planned, profile != PlanProfile.none else { return nil }
    return try ExitStatus.of {
      let loaded = try LoadedProfile(path: profile, for: rig, asking: laws)
      if let level = laws.referenceLevel, level != loaded.profile.laws.referenceLevel {
        throw InputError(
          "\(loaded.path): the profile's reference level is "
            + "\(loaded.profile.laws.referenceLevel) dB, but --reference-level \(level) is asked for: "
            + "re-target it with 'haprig calibrate --fleet'")
      }
      loaded.noteTemperature(on: rig)
      return loaded
    }
  }
}

/// A profile as it was read from a file.
struct LoadedProfile {
  let path: String
  let hash: ContentHash
  let profile: CalibrationProfile

  /// Reads a profile.
  init(file: String) throws {
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
  init(path: String, for rig: RigDescription, asking laws: LawOptions? = nil) throws {
    let actuator = rig.actuators[0]
    try self.init(
      file: path.hasSuffix(".json") ? path : ProfileFolder(path: path).file(of: actuator.id))
    do {
      try profile.check(
        actuator: actuator.id, model: actuator.model, kind: actuator.kind.rawValue,
        laws: laws?.asked(of: profile.laws), limits: DriveLimits(actuator.limits),
        conditions: ProfileConditions(actuator, on: rig))
    } catch {
      throw InputError("\(self.path): \(error)")
    }
  }

  /// Says on standard error where the rig is much warmer or colder than the profile.
  func noteTemperature(on rig: RigDescription) {
    if let note = profile.temperatureNote(at: rig.actuators[0].temperature) {
      Console.error("note: \(note)")
    }
  }

  /// What a record says of the calibration.
  var account: String { "\(profile.actuator.id), sha256 \(hash)" }
}

/// A folder of profiles, one file an actuator.
struct ProfileFolder {
  let path: String

  /// The file of an actuator.
  func file(of actuator: String) -> String { inside + actuator + ".json" }

  /// The file that has the name of another, wherever that lies.
  func file(named other: String) -> String {
    inside + (other.split(separator: "/").last.map(String.init) ?? other)
  }

  /// Every profile of the folder, in the order of the files' names.
  func files() throws(ArchiveError) -> [String] {
    try Folder.names(in: path).filter { $0.hasSuffix(".json") }.map { inside + $0 }
  }

  private var inside: String { path.hasSuffix("/") ? path : path + "/" }
}
