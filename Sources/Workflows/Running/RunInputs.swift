import Acceptance
import Actuators
import Bench
import Devices
private import Glibc
import JSONText
import Paths
import Profiles
import RigDevices
import RunArchive
import Units

/// Copies of all that a run was made from, below `inputs` in its folder.
///
/// With them the folder is complete in itself: `haprig score` needs nothing else.
struct RunInputs {
  static let folder = "inputs"
  private let request: RunRequest
  /// The copies of sounds by their content, and the names that are taken.
  private var sounds: [ContentHash: String] = [:]
  private var taken: Set<String> = []

  init(_ request: RunRequest) { self.request = request }

  consuming func write(into folder: borrowing RunFolder, record: inout RunRecord) throws {
    var options = request.laws.record
    if request.order.reading.isStrict, case .object(let members) = options {
      options = .object(members + [JSONMember("strict", .bool(true))])
    }
    var inputs = RunRecord.Inputs(
      rig: try copyRig(request.order.rig.file, to: "rig", into: folder), options: options)
    if let control = request.control?.file {
      inputs.controlRig = try copyRig(control, to: "control-rig", into: folder)
    }
    if let plan = request.planFile {
      inputs.plan = try copy(
        try RegularFile(path: plan).bytes(limit: 1 << 20), to: "plan.yaml", into: folder)
    }
    if let profile = request.profile {
      let bytes = try RegularFile(path: profile.path).bytes(limit: 1 << 26)
      inputs.profile = try copy(bytes, to: "profile.json", into: folder)
    }
    record.inputs = inputs
    try copy(request.patterns, below: "patterns", to: &record.patterns, into: folder)
    if let control = request.control, var patterns = record.control?.patterns {
      try copy(control.patterns, below: "control-patterns", to: &patterns, into: folder)
      record.control?.patterns = patterns
    }
  }

  private func copy(
    _ bytes: [UInt8], to name: String, into folder: borrowing RunFolder
  ) throws(ArchiveError) -> String {
    let path = Self.folder + "/" + name
    try folder.write(bytes, to: path)
    return path
  }

  /// Copies a rig file with the sensor files that it names; gives the rig file's copy.
  private func copyRig(
    _ file: String, to name: String, into folder: borrowing RunFolder
  ) throws -> String {
    let files = try RigFolder(file: file).read().files
    for file in files {
      _ = try copy(file.bytes, to: "\(name)/\(Self.plain(file.name))", into: folder)
    }
    return "\(Self.folder)/\(name)/\(files[0].name)"
  }

  /// A path without steps down and up again.
  private static func plain(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  private mutating func copy(
    _ patterns: [LoadedPattern], below name: String, to records: inout [RunRecord.Pattern],
    into folder: borrowing RunFolder
  ) throws {
    let stems = PlanRun.fileStems(patterns.map(\.name))
    for (index, pattern) in patterns.enumerated() {
      // What was never reached has no record, and no need of a copy.
      guard let place = records.firstIndex(where: { $0.name == pattern.name }) else { continue }
      var copies: [String: String] = [:]
      for (path, file) in pattern.soundFiles.sorted(by: { $0.key < $1.key }) {
        copies[path] = try copySound(file, into: folder)
      }
      records[place].input = RunRecord.PatternInput(
        file: try copy(pattern.source, to: "\(name)/\(stems[index]).ahap", into: folder),
        sounds: copies)
    }
  }

  private mutating func copySound(
    _ file: String, into folder: borrowing RunFolder
  ) throws -> String {
    let bytes = try RegularFile(path: file).bytes(limit: 1 << 30)
    let hash = ContentHash(of: bytes)
    if let known = sounds[hash] { return known }
    let stem = PlanRun.fileStems([FilePath.name(of: file)])[0]
    var name = stem
    var number = 1
    while !taken.insert(name).inserted {
      number += 1
      name = "\(number)-\(stem)"
    }
    let path = try copy(bytes, to: "sounds/\(name)", into: folder)
    sounds[hash] = path
    return path
  }
}

extension RunRequest {
  /// What a run stands in, by name: the things that a difference between two nights may come from.
  ///
  /// What the caller says of it goes before what the machine and the record say.
  func environment(of record: RunRecord, version: String) -> [String: String] {
    var environment = Host.environment
    environment["haprig"] = version
    let devices = [rig.drive.device.kind, rig.capture.kind]
    // A library that no frame goes through changes nothing.
    if !devices.contains(.alsa) { environment["alsa-lib"] = nil }
    let actuator = rig.actuators[0]
    if let profile {
      environment["profile"] = "sha256 \(profile.hash)"
      if let own = profile.profile.actuator.temperature,
        profile.profile.temperatureNote(at: actuator.temperature) != nil
      {
        environment["profile.temperature"] = EngineeringFormat.text(own, .celsius)
      }
    }
    if let temperature = actuator.temperature {
      environment["temperature"] = EngineeringFormat.text(temperature, .celsius)
    }
    if let contact = actuator.contact { environment["contact"] = contact }
    if let sensor = rig.capture.channel(.acceleration)?.sensor {
      let own = EngineeringFormat.text(sensor.sensitivity, .voltPerMetrePerSecondSquared)
      environment["sensor"] = ([own] + (sensor.date.map { [$0] } ?? [])).joined(separator: ", ")
    }
    // As the first stream that told of it did: the cards' own names, and what they agreed to.
    let stream = record.patterns.flatMap(\.takes).compactMap(\.stream).first
    for device in stream?.negotiations ?? [] {
      environment["card.\(device.direction)"] =
        [device.cardName, device.format.rawValue, device.access].joined(separator: ", ")
    }
    return environment.merging(order.environment) { $1 }
  }
}

extension Host {
  /// What a run is made in, as far as this machine says it; what it does not say is absent.
  static var environment: [String: String] {
    var environment: [String: String] = [:]
    environment["alsa-lib"] = DeviceLibraries.alsa
    var system = utsname()
    if uname(&system) == 0 {
      environment["kernel"] = withUnsafeBytes(of: system.release) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    environment["governor"] = line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    // Continuous integration knows what it tests: haprig does not guess.
    environment["revision"] = getenv("HAPRIG_REVISION").map { String(cString: $0) }
    return environment.filter { !$0.value.isEmpty }
  }

  private static func line(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
