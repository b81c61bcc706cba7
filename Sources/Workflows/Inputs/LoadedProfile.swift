import Acceptance
import Actuators
import Bench
package import Devices
import Paths
package import Profiles
import RunArchive

package struct LoadedProfile: Sendable {
  package let path: String
  let hash: ContentHash
  package let profile: CalibrationProfile

  package init(file: String) throws {
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
  package init(
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

  /// The profile that drives a rig's first actuator, of a file or folder; `nil` is uncalibrated.
  package static func chosen(
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

  func noteTemperature(on rig: RigDescription, to user: RigOperator) {
    if let note = profile.temperatureNote(at: rig.actuators[0].temperature) {
      user.notice(.note, note)
    }
  }

  var identity: String { "\(profile.actuator.id), sha256 \(hash)" }
}

/// A folder of profiles, one file an actuator.
package struct ProfileFolder: Sendable {
  let path: String

  package init(path: String) { self.path = path }

  func file(of actuator: String) -> String { inside + actuator + ".json" }

  /// The file that has the name of another, wherever that lies.
  func file(named other: String) -> String {
    inside + FilePath.name(of: other)
  }

  func files() throws(ArchiveError) -> [String] {
    try Folder.names(in: path).filter { $0.hasSuffix(".json") }.map { inside + $0 }
  }

  private var inside: String { path.hasSuffix("/") ? path : path + "/" }
}
