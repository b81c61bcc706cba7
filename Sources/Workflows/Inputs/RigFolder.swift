// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import Actuators
import Bench
package import Devices
import LiveRuns
import Paths
package import Profiles
import RigDevices
import RigFiles
import RunArchive

/// A rig file and the folder that it lies in, from which the sensor files that it names are read.
package struct RigFolder: Sendable {
  package let file: String

  package init(file: String) { self.file = file }

  package var path: String { FilePath.folder(of: file) }

  package func path(of name: String) -> String { FilePath.join(path, name) }

  /// The rig file and the sensor files that it names.
  package func paths(of content: Content) -> [String] { content.files.map { path(of: $0.name) } }

  package struct Content: Sendable {
    package internal(set) var rig: RigDescription
    /// The rig file and the sensor files that it names, by their paths from its folder, with their bytes.
    var files: [(name: String, bytes: [UInt8])]

    var text: [UInt8] { files.flatMap(\.bytes) }
  }

  package func read() throws -> Content {
    let own = try RegularFile(path: file).bytes(limit: Self.limit)
    var files = [(name: FilePath.name(of: file), bytes: own)]
    let rig = try RigDescription(yaml: own, file: file) { name in
      let certificate = try certificate(name)
      files.append((name, certificate))
      return certificate
    }
    return Content(rig: rig, files: files)
  }

  /// Reads a sensor file; what lies elsewhere, through a link, is not read.
  func certificate(_ name: String) throws -> [UInt8] {
    let full = path(of: name)
    let file = try RegularFile(path: full)
    guard file.lies(below: path) else {
      throw InputError(
        "\(full): a link leads out of the rig file's folder: put the file itself there")
    }
    return try file.bytes(limit: Self.limit)
  }

  private static let limit = 1 << 20
}

package struct RigChoice: Sendable {
  package var file: String
  package var stimulus: String?
  package var response: String?

  package init(file: String, stimulus: String? = nil, response: String? = nil) {
    self.file = file
    self.stimulus = stimulus
    self.response = response
  }

  package func read() throws -> RigDescription {
    var rig = try RigFolder(file: file).read().rig
    if stimulus != nil || response != nil {
      rig.drive.device = .file(FileDescription(stimulus: stimulus, response: response))
      rig.capture.kind = .file
      rig.capture.alsa = nil
      // What the thermometer says now was not so when the file was recorded.
      rig.thermometer = nil
    }
    return rig
  }

  /// Reads the rig of which the actuator is played, the first one where none is named.
  package func readToPlay(actuator: String? = nil) throws -> RigDescription {
    var description = try read()
    if let actuator { description = try description.focused(on: actuator, path: file) }
    if case .file(let files) = description.drive.device, files.stimulus == nil,
      files.response == nil
    {
      throw InputError(
        "\(file): the rig is not on line: give --stimulus FILE.wav to write the drive to, or "
          + "--response FILE.wav to read what was recorded of it")
    }
    return description
  }
}

extension RigDescription {
  /// Refuses a rig whose file names no reference wire where one is asked for, with the lines to add.
  package func requireReference(for purpose: String, file: String) throws {
    let isDriven = drive.channels[.reference] != nil
    guard !isDriven || capture.channel(.reference) == nil else { return }
    let missing = [
      isDriven ? nil : "'reference: N' to the channels of 'drive'",
      capture.channel(.reference) != nil
        ? nil : "'reference: {role: reference, input: N, full-scale: 5 V}' to those of 'capture'",
    ].compactMap { $0 }
    throw InputError(
      "\(file): \(purpose) needs the reference wire, which the file does not describe: wire an "
        + "output straight into an input, and add \(missing.joined(separator: ", and "))")
  }
}

package struct ActuatorChoice: Sendable {
  package let path: String
  let text: [UInt8]
  package let rig: RigDescription

  package var actuator: Actuator { rig.actuators[0] }

  package init(rig path: String, actuator id: String?, temperature: Double? = nil) throws {
    self.path = path
    let content = try RigFolder(file: path).read()
    text = content.text
    var focused = try content.rig.focused(on: id, path: path)
    if let temperature {
      focused.actuators[0].temperature = temperature
      focused.thermometer = nil
    }
    rig = focused
  }
}

extension RigDescription {
  /// The rig with its actuators at the temperature that its thermometer tells now; as it was where it has none, or
  /// tells none.
  func atItsTemperature(by user: RigOperator) -> RigDescription {
    guard let thermometer else { return self }
    do throws(ThermometerFault) {
      let celsius = try Thermometer(thermometer).read()
      var rig = self
      for actuator in rig.actuators.indices { rig.actuators[actuator].temperature = celsius }
      return rig
    } catch {
      user.notice(.warning, "the temperature is not known: \(error)")
      return self
    }
  }

  /// The rig with one of its actuators alone: the one asked for, or the only one.
  func focused(on id: String?, path: String) throws(InputError) -> RigDescription {
    let names = actuators.map(\.id)
    guard let wanted = id ?? (names.count == 1 ? names[0] : nil) else {
      throw InputError(
        "\(path): the rig has \(names.count) actuators: name one with --actuator, of "
          + names.joined(separator: ", "))
    }
    guard let focused = focused(on: wanted) else {
      throw InputError(
        "\(path): the rig has no actuator '\(wanted)': it has " + names.joined(separator: ", "))
    }
    return focused
  }
}

package struct LoadedProfile: Sendable {
  /// The profile's file.
  package let path: String
  let hash: ContentHash
  package let profile: CalibrationProfile

  package init(file: String) throws {
    guard file.hasSuffix(".json") else {
      throw InputError("\(file): name a profile, a file that ends in .json")
    }
    let bytes = try RegularFile(path: file).bytes(limit: CalibrationProfile.largestText)
    profile = try InputError.naming(file + ":") { try CalibrationProfile(parsing: bytes) }
    path = file
    hash = ContentHash(of: bytes)
  }

  /// Reads a profile, of a folder that of the rig's first actuator, and makes sure that it may drive the
  /// actuator there, under the laws asked for.
  package init(path: String, for rig: RigDescription, asking laws: RequestedLaws? = nil) throws {
    let actuator = rig.actuators[0]
    try self.init(
      file: path.hasSuffix(".json") ? path : ProfileFolder(path: path).file(of: actuator.id))
    try InputError.naming(self.path + ": ") {
      try profile.check(
        for: actuator, laws: laws?.asked(of: profile.laws),
        conditions: ProfileConditions(axis: rig.capture.axes))
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
          + "re-target it with 'haprig calibrate --common-level'")
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

extension [LoadedProfile] {
  /// Refuses two profiles of one actuator, which are one piece and not two.
  package func requireDistinctActuators() throws {
    var files: [String: String] = [:]
    for loaded in self {
      let id = loaded.profile.actuator.id
      if let other = files.updateValue(loaded.path, forKey: id) {
        throw InputError(
          "\(other) and \(loaded.path) are both profiles of the actuator '\(id)': leave one of them"
        )
      }
    }
  }
}

package struct ProfileFolder: Sendable {
  let path: String

  package init(path: String) { self.path = path }

  func file(of actuator: String) -> String { inside + actuator + ".json" }

  func file(named other: String) -> String {
    inside + FilePath.name(of: other)
  }

  func files() throws(ArchiveError) -> [String] {
    try Folder.names(in: path).filter { $0.hasSuffix(".json") }.map { inside + $0 }
  }

  private var inside: String { path.hasSuffix("/") ? path : path + "/" }
}
