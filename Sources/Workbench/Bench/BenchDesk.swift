// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import Devices
import JSONText
import Paths
import Profiles
import Reporting
import RigDevices
import RigFiles
import RunArchive
import Units
import Workflows

/// What a person stands before: rigs and who has them, plans, patterns, what works.
final class BenchDesk: Sendable {
  let version: String
  let rigFiles: [String]
  let plans: String?
  let calibration: String
  /// The fleet's file.
  let fleet: String?
  let runs: RunDesk
  let live: LiveDesk
  private let profiles: ProfileShelf
  private let patterns = PatternShelf()
  private let contents = FileShelf<RigFolder.Content>()
  private let readPlans = FileShelf<Plan>()
  private let last = Guarded(Last())

  private struct Last {
    var made = -Double.infinity
    var json = JSONValue.null
  }

  /// How long an answer is given again.
  private static let freshness = 0.25

  init(
    version: String, rigs: [String], plans: String?, calibration: String, fleet: String?,
    runs: RunDesk, profiles: ProfileShelf, live: LiveDesk
  ) {
    self.version = version
    rigFiles = rigs
    self.plans = plans
    self.calibration = calibration
    self.fleet = fleet
    self.runs = runs
    self.profiles = profiles
    self.live = live
  }

  func json() -> JSONValue {
    let known = last.withLock { last -> Last? in
      MonotonicClock.seconds - last.made < Self.freshness ? last : nil
    }
    if let known { return known.json }
    let json = JSONValue.object(of: [
      "program": "haprig \(version)", "host": Host.name, "time": Host.time("%Y-%m-%dT%H:%M:%SZ"),
      "archive": runs.archive.location.description, "rigs": rigs(), "plans": planList(),
      "patterns": patternFiles().map { path in
        JSONValue.object(of: [
          "name": Self.name(of: path), "file": path, "seconds": patterns.seconds(of: path),
        ])
      },
      "live": live.rows(),
      "fleet": fleet.map { JSONValue.object(of: ["file": $0, "by": Host.user]) },
    ])
    last.withLock { $0 = Last(made: MonotonicClock.seconds, json: json) }
    return json
  }

  /// The file of a rig by the rig's name; `nil` where none of the bench has it.
  func rig(_ name: String) -> String? {
    rigFiles.first { (try? read(rig: $0).name) == name }
  }

  /// The file of a plan by its name.
  func plan(_ name: String) -> String? {
    planFiles().first { (try? read(plan: $0))?.name == name }
  }

  /// The file of a pattern by its name.
  func pattern(_ name: String) -> String? {
    patternFiles().first { Self.name(of: $0) == name }
  }

  /// Who has a rig: its process; `nil` where nobody has.
  static func holder(of rig: String) -> Int? {
    let own = RigLock.fileName(of: rig)
    return RigLock.holdings().first { $0.rig == own }.map { Int($0.process) }
  }

  private func rigs() -> [JSONValue] {
    rigFiles.map { file in
      do {
        return try row(of: try read(rig: file), file: file)
      } catch {
        return .object(of: [
          "name": Self.name(of: file), "file": file, "description": "",
          "simulated": false, "actuators": [String](), "sensors": [String](),
          "state": "missing", "problem": "\(error)",
        ])
      }
    }
  }

  private func row(of rig: RigDescription, file: String) throws -> JSONValue {
    let device = rig.drive.device.kind
    var played: ALSADescription?
    if case .alsa(let card) = rig.drive.device { played = card }
    let locked = Self.holder(of: rig.name)
    // A rig that is no piece of the world has no lock: who works on it says so alone.
    let living = live.rows().first { row in
      row["state"]?.string == "working"
        && (locked == nil ? row["rig"]?.string == rig.name : row["process"]?.integer == locked)
    }
    let holder = locked ?? living?["process"]?.integer
    var problem: String?
    var (latest, night): (JSONValue?, JSONValue?)
    do {
      latest = try runs.latest(of: rig.name)
      night = try runs.latest(of: rig.name, marked: ReadingSeries.nightMark)
    } catch {
      problem = "\(error)"
    }
    let motors = rig.actuators.map { "\($0.kind.rawValue) \($0.model)" }.joined(separator: ", ")
    return .object(of: [
      "name": rig.name, "file": file, "description": "\(motors) on \(device.rawValue)",
      "simulated": device == .simulated, "actuators": rig.actuators.map(actuator),
      "sensors": rig.capture.channels.map(sensor),
      "drive": JSONValue.object(of: [
        "device": Self.card(device, played), "rate": rig.drive.rate.hertz,
        "channels": rig.drive.channelCount,
      ]),
      "capture": JSONValue.object(of: [
        "device": Self.card(rig.capture.kind, rig.capture.alsa), "rate": rig.drive.rate.hertz,
        "channels": rig.capture.channels.count,
      ]),
      "state": holder == nil ? "idle" : "held",
      "holder": holder.map { process in
        JSONValue.object(of: [
          "process": process, "live": living?["id"], "command": living?["command"],
          "title": living?["title"], "since": living?["started"],
        ])
      },
      "lastRun": latest, "lastNight": night,
      "lastCheck": rig.actuators.compactMap { known(of: $0)?.check }.max { $0.date < $1.date }?
        .json,
      "problem": problem,
    ])
  }

  private static func card(_ kind: DeviceKind, _ alsa: ALSADescription?) -> String {
    alsa.map { "\(kind.rawValue) \($0.pcm)" } ?? kind.rawValue
  }

  private func sensor(_ channel: CaptureChannelDescription) -> JSONValue {
    let certificate = channel.sensor
    return .object(of: [
      "name": channel.name, "kind": channel.role.rawValue, "unit": channel.unit.rawValue,
      "fullScale": certificate.flatMap { sensor in
        channel.fullScaleVolts.map { $0 / sensor.sensitivity }
      } ?? (channel.unit == .volt ? channel.fullScaleVolts : nil),
      "sensitivity": certificate?.sensitivity,
      "uncertainty": certificate?.relativeUncertainty, "date": certificate?.date,
    ])
  }

  private func actuator(_ actuator: Actuator) -> JSONValue {
    .object(of: [
      "id": actuator.id, "type": actuator.kind.rawValue, "model": actuator.model,
      "profile": known(of: actuator).map { profile, check in
        JSONValue.object(of: [
          "created": profile.source.date, "ageDays": profile.ageDays,
          "level": profile.laws.referenceLevel, "check": check?.json,
        ])
      },
    ])
  }

  /// An actuator's profile, and the last check of it.
  private func known(
    of actuator: Actuator
  ) -> (profile: CalibrationProfile, check: CheckLog.Entry?)? {
    let file = calibration + "/\(actuator.id).json"
    return profiles.profile(in: file).map { ($0, profiles.lastCheck(of: $0, in: file)) }
  }

  private func planList() -> [JSONValue] {
    planFiles().compactMap { file in
      guard let plan = try? read(plan: file) else { return nil }
      let folder = FilePath.folder(of: file)
      let paths = plan.patterns.map { FilePath.join(folder, $0) }
      let patterns = (try? PatternSet.expand(paths)) ?? []
      let seconds = patterns.reduce(0) { $0 + (self.patterns.seconds(of: $1.path) ?? 0) }
      return .object(of: [
        "name": plan.name, "file": file, "patterns": patterns.map(\.name),
        "takes": patterns.count * plan.repeats, "seconds": seconds * Double(plan.repeats),
      ])
    }
  }

  private func planFiles() -> [String] {
    guard let plans, let names = try? Folder.names(in: plans) else { return [] }
    return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.map { plans + "/" + $0 }
  }

  private func patternFiles() -> [String] {
    guard let plans, let patternFolder else { return [] }
    return PatternShelf.files(in: patternFolder) + PatternShelf.files(in: plans)
  }

  /// The folder of the patterns, beside the plans.
  var patternFolder: String? {
    plans.map { FilePath.join(FilePath.folder(of: $0), "patterns") }
  }

  private func read(plan file: String) throws -> Plan {
    try readPlans.value(of: file) { file in
      try Plan(
        yaml: RegularFile(path: file).bytes(limit: 1 << 20), file: file,
        shipped: ShippedLimits(hasReference: true))
    }
  }

  private func read(rig file: String) throws -> RigDescription {
    let folder = RigFolder(file: file)
    return try contents.value(of: file, restingOn: folder.paths) { _ in try folder.read() }.rig
  }

  private static func name(of path: String) -> String {
    let file = FilePath.name(of: path)
    return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
  }
}
