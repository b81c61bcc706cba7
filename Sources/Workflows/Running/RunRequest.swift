// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
package import Bench
package import Devices
private import Glibc
import JSONText
import LiveRuns
import Paths
import Perception
import Profiles
import RigDevices
import RigFiles
package import RunArchive
import Units

package struct RunOrder: Sendable {
  /// Patterns, folders of them, or one plan.
  package var paths: [String]
  package var rig: RigChoice
  package var folder: String
  package var reading = PatternReading()
  package var laws = RequestedLaws()
  /// A profile, a folder of profiles, or `none`; `nil` for what the plan says.
  package var profile: String?
  /// The profile of an actuator where neither the order nor the plan names one; `nil` for none.
  package var usualProfile: @Sendable (_ actuator: String) -> String? = { _ in nil }
  /// The actuator's id; `nil` for the plan's, or the rig's only one.
  package var actuator: String?
  /// How often each pattern is played; `nil` for what the plan says.
  package var repeats: Int?
  /// The archive that the run goes to; `nil` for the one beside its folder.
  package var archive: ArchiveLocation?
  package var environment: [String: String] = [:]
  /// When the run began, which only simulated nights make up; `nil` for now.
  var began: Moment?
  /// What the run is to a gauge study.
  var study: StudyMark?

  package init(_ paths: [String], on rig: RigChoice, folder: String) {
    self.paths = paths
    self.rig = rig
    self.folder = folder
  }
}

package struct RunRequest: Sendable {
  /// The rig, with the actuator that is played alone.
  package let rig: RigDescription
  package let plan: Plan
  package let patterns: [LoadedPattern]
  let profile: LoadedProfile?
  /// The rig and the patterns of the control, where another rig is one.
  let control: ControlRequest?
  var order: RunOrder

  package init(_ order: RunOrder, by user: RigOperator) throws {
    var order = order
    var rig = try order.rig.readToPlay()
    if let study = order.study {
      order.environment.merge(study.environment(on: rig)) { $1 }
      rig = try study.mounted(on: rig, path: order.rig.file)
      order.actuator = study.actuator
    }
    if let actuator = order.actuator { rig = try rig.focused(on: actuator, path: order.rig.file) }
    var (plan, patterns) = try Self.read(order.paths, rig: rig, reading: order.reading)
    if plan.setup?.reference == true {
      try rig.requireReference(for: "the setup of plan '\(plan.name)'", file: order.rig.file)
    }
    if let repeats = order.repeats { plan.repeats = repeats }
    if let study = order.study { plan.name = study.plan }
    if order.actuator == nil { rig = try rig.focused(on: plan.actuator, path: order.rig.file) }
    rig = rig.atItsTemperature(by: user)
    let planFolder = PlanFolder(plan: order.paths.first)
    let planned = plan.profile?.choice(for: rig.actuators[0].id).map {
      $0 == PlanProfile.none ? $0 : planFolder.path(of: $0)
    }
    let named = order.profile ?? planned
    let usual = named == nil ? order.usualProfile(rig.actuators[0].id) : nil
    profile = try LoadedProfile.chosen(named ?? usual, for: rig, laws: order.laws, by: user)
    if let usual { user.notice(.note, "the profile is \(usual), of the configuration") }
    control = try ControlRequest(plan, in: planFolder, reading: order.reading)
    self.rig = rig
    self.plan = plan
    self.patterns = patterns
    self.order = order
  }

  var laws: RequestedLaws { order.laws }

  var planFile: String? { order.paths.first(where: Self.isPlan) }

  var builder: TakeBuilder {
    TakeBuilder(rig: rig, laws: laws.configuration, profile: profile?.profile, hasProbe: plan.probe)
  }

  var target: IntensityTarget { profile?.profile.laws.target ?? laws.target }

  private static func isPlan(_ path: String) -> Bool {
    path.hasSuffix(".yaml") || path.hasSuffix(".yml")
  }

  /// One path that ends in `.yaml` is a plan, whose patterns lie relative to its own folder.
  package static func read(
    _ paths: [String], rig: RigDescription, reading: PatternReading
  ) throws -> (plan: Plan, patterns: [LoadedPattern]) {
    let plans = paths.filter(isPlan)
    guard plans.isEmpty || paths.count == 1 else {
      throw InputError("\(plans[0]): a plan names its own patterns: give it alone")
    }
    let shipped = ShippedLimits(of: rig)
    var plan = Plan.standard(shipped)
    var files = paths
    if let path = plans.first {
      let folder = PlanFolder(plan: path)
      plan = try Plan(
        yaml: RegularFile(path: path).bytes(limit: 1 << 20), file: path, shipped: shipped
      ) { access(folder.path(of: $0), F_OK) == 0 }
      files = plan.patterns.map(folder.path)
      guard !files.isEmpty else {
        throw InputError("\(path): the plan names no pattern: list files or folders")
      }
    }
    let loader = PatternLoader(rate: rig.drive.rate, reading: reading)
    let entries = try PatternSet.expand(files)
    try checkLimits(of: plan, against: entries.map(\.name))
    return (plan, try entries.map { try loader.load($0) })
  }

  /// What is asked of a pattern that is not played would never be asked of anything.
  private static func checkLimits(of plan: Plan, against names: [String]) throws {
    let asked =
      plan.limits.map { ("limit on", $0.reading, $0.patterns) }
      + plan.requirements.map { ("required", $0.reading, $0.patterns) }
      + plan.expectedFailures.map {
        ("expected failure of", $0.reading, $0.pattern.map { [$0] } ?? [])
      }
    // The control's patterns are not read yet, and have names of their own.
    for (what, reading, patterns) in asked where !reading.isControl {
      for name in patterns where !names.contains(name) {
        throw InputError(
          "plan \(plan.name): the \(what) \(reading) names the pattern '\(name)', which is not "
            + "played; played are \(names.prefix(12).joined(separator: ", "))")
      }
    }
  }
}

extension ShippedLimits {
  fileprivate init(of rig: RigDescription) {
    self.init(
      hasReference: rig.drive.channels[.reference] != nil && rig.capture.channel(.reference) != nil)
    // A recording that was started by hand has an arbitrary delay, and owes none.
    if case .file = rig.drive.device { startsTogether = false }
  }
}

struct ControlRequest: Sendable {
  let file: String
  let rig: RigDescription
  let patterns: [LoadedPattern]

  /// Reads what a plan names; `nil` where it names no other rig.
  init?(_ plan: Plan, in folder: PlanFolder, reading: PatternReading) throws {
    guard let control = plan.control, case .rig(let name) = control.subject else { return nil }
    file = folder.path(of: name)
    let whole = try RigFolder(file: file).read().rig
    rig = whole.actuators.count > 1 ? try whole.focused(on: nil, path: file) : whole
    let files = control.patterns.isEmpty ? plan.patterns : control.patterns
    let loader = PatternLoader(rate: rig.drive.rate, reading: reading)
    let entries = try PatternSet.expand(files.map { folder.path(of: $0) })
    patterns = try entries.map { try loader.load($0) }
  }
}

struct PlanFolder {
  private let folder: String

  /// The folder of a plan's file; of no plan, the working folder.
  init(plan file: String?) {
    folder = file.flatMap { file in file.lastIndex(of: "/").map { String(file[...$0]) } } ?? ""
  }

  /// A path as the plan names it, without the steps down and up again that records need not show.
  func path(of name: String) -> String {
    guard !name.hasPrefix("/") else { return name }
    var folders = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var rest = name[...]
    while rest.hasPrefix("../"), let last = folders.last, !["", ".", ".."].contains(last) {
      folders.removeLast()
      rest = rest.dropFirst(3)
    }
    return folders.map { $0 + "/" }.joined() + rest
  }
}

/// Copies of all that a run was made from, below `inputs` in its folder: `haprig score` needs nothing else.
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

  private func copyRig(
    _ file: String, to name: String, into folder: borrowing RunFolder
  ) throws -> String {
    let files = try RigFolder(file: file).read().files
    for file in files {
      _ = try copy(file.bytes, to: "\(name)/\(Self.plain(file.name))", into: folder)
    }
    return "\(Self.folder)/\(name)/\(files[0].name)"
  }

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
    let measured = record.readings.first { $0.name == ReadingName(.temperature) }?.value
    if let temperature = measured.map({ ($0 * 10).rounded() / 10 }) ?? actuator.temperature {
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
