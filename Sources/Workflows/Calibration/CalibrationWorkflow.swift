// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
package import Calibration
import Devices
import JSONText
import LiveRuns
import Perception
package import Profiles
package import Reporting
import RunArchive
import Synchronization
import Units

package struct CalibrationWorkflow: Sendable {
  private let choice: ActuatorChoice
  private let user: RigOperator
  package var profiles = ProfileFolder(path: "calibration")
  package var reports = ArchiveLocation.standardFolder
  /// Without a reference level intensity 1 is the highest that is held.
  package var laws = RequestedLaws()
  package var restarts = false
  package var remounts = 0

  package init(_ choice: ActuatorChoice, by user: RigOperator) {
    self.choice = choice
    self.user = user
  }

  package struct Outcome: Sendable {
    package let certificate: Certificate
    package let profile: String
    package let folder: String
    package let resumed: Int
  }

  /// Measures, and writes certificate and profile; what a stop leaves is told by the error.
  package func execute() async throws -> Outcome {
    let stamp = Host.time("%Y%m%d-%H%M%S")
    let name = "\(stamp)-\(choice.rig.name)-calibrate-\(choice.actuator.id)"
    user.tell(
      .work(
        LiveEvent.Work(
          rig: choice.rig.name, title: "calibrate \(choice.actuator.id)",
          actuators: [choice.actuator.id], archive: Host.fromRoot(reports))))
    // Found now, and not after everything was measured.
    try Folder.make(profiles.path)
    try Folder.probe(profiles.path, bytes: Self.profileRoom)
    var folder = try RunFolder(
      resuming: "\(choice.rig.name)-calibrate-\(choice.actuator.id)", as: name, in: reports)
    if try isNew(folder.path) {
      folder.clear()
      try folder.write(key.text, to: Self.keyFile)
    }
    let counter = ResumeCounter()
    let outcome: CalibrationOutcome
    do {
      outcome = try await measure(in: folder.path, run: folder.name, counter)
    } catch let refusal as CalibrationRefusal {
      // What was measured before may be wrong as well: the next calibration begins anew.
      folder.clear()
      guard counter.count > 0 else { throw refusal }
      throw CalibrationRefusal(
        refusal.code,
        "\(refusal); what was kept of the stopped calibration is gone: the same command begins "
          + "anew")
    } catch let error as DeviceError {
      throw WorkflowError.ended(error, Self.kept(in: folder.path))
    }
    let certificate = try certificate(outcome, in: folder.path)
    do throws(ProfileError) {
      _ = try CalibrationProfile(parsing: Array(certificate.profile.text.utf8))
    } catch {
      folder.clear()
      throw CalibrationRefusal(
        .profileImplausible,
        "the profile that was fitted is none that this program reads back: \(error.message); that is its "
          + "own limit, and says nothing against actuator, rig or measurement: please report it with "
          + "this sentence")
    }
    try folder.write(certificate.json.text(indent: 1) + "\n", to: "certificate.json")
    try folder.write(certificate.html, to: "certificate.html")
    // The certificate is on the disk: now the old profile may go. What was measured can be gone on with
    // until the new one is there.
    do throws(ArchiveError) {
      try AtomicFile.write(
        certificate.profile.text, to: profiles.file(of: certificate.profile.actuator.id))
    } catch {
      throw ArchiveError(
        path: error.path,
        message: error.message
          + "; what was measured is kept: the same command then writes the profile")
    }
    try folder.remove(Self.keyFile)
    try folder.keep()
    user.live?.note(
      folder: Host.fromRoot(folder.finalPath), verdicts: ["run": certificate.verdict.rawValue])
    return Outcome(
      certificate: certificate, profile: profiles.file(of: certificate.profile.actuator.id),
      folder: folder.finalPath, resumed: counter.count)
  }

  private var sharpness: SharpnessLaw { laws.sharpness ?? .log80To230 }

  private var key: CalibrationKey {
    let target = laws.target
    return CalibrationKey([
      ("version of haprig", user.version),
      ("rig file", ContentHash(of: choice.text).description),
      ("actuator", choice.actuator.id),
      ("--intensity-law", target.law.name), ("--sharpness-law", sharpness.name),
      ("contour", target.contour.name),
      ("--reference-level", laws.referenceLevel.map { "\($0)" } ?? "none"),
      ("--temperature", choice.actuator.temperature.map { "\($0)" } ?? "none"),
    ])
  }

  private func isNew(_ folder: String) throws -> Bool {
    guard !restarts,
      let earlier = try? RegularFile(path: folder + "/" + Self.keyFile).bytes(limit: 4096)
    else { return true }
    if let change = key.change(since: earlier) {
      throw InputError(
        "\(folder): a calibration of '\(choice.actuator.id)' that was stopped was made with \(change): "
          + "give the same as then to go on, or --restart to begin anew")
    }
    return false
  }

  private static let keyFile = ".key"
  private static let profileRoom = 1 << 17

  private func measure(
    in folder: String, run: String, _ counter: ResumeCounter
  ) async throws -> CalibrationOutcome {
    try user.check(" before anything played")
    let open = try OpenSession(
      choice.rig, without: "\(choice.path): a calibration needs a rig that records", by: user)
    let rig = open.rig
    var subject = CalibrationSubject(
      rig: rig, actuator: rig.atItsTemperature(by: user).actuators[0], target: laws.target,
      sharpness: sharpness,
      referenceIsGiven: laws.referenceLevel != nil,
      earlier: try? LoadedProfile(file: profiles.file(of: rig.actuators[0].id)).profile, run: run,
      program: user.software, date: Host.time("%Y-%m-%d"))
    subject.remounts = remounts
    defer { user.tell(.idle) }
    var mounted = 0
    var procedure = CalibrationProcedure(subject: subject)
    let segments = SegmentRun(
      rig: rig, limits: subject.actuator.limits,
      store: SegmentStore(folder: folder) { try AtomicFile.write($0, to: $1) })
    try await segments.execute(
      &procedure, on: open.session,
      progress: { [user] event in
        user.tell(event)
        if case .resumed = event { counter.add() }
      },
      prepare: { segment in
        guard segment.purpose == .remount else { return }
        mounted += 1
        try askToMount("[\(mounted)/\(remounts)]", folder)
      })
    try open.finish()
    guard let outcome = procedure.outcome() else {
      throw InputError("\(choice.path): the calibration ended without a profile")
    }
    return outcome
  }

  private func certificate(_ outcome: CalibrationOutcome, in folder: String) throws -> Certificate {
    var profile = outcome.profile
    let files = try Folder.names(in: folder).filter { $0.hasSuffix(".wav") }
    let hashes = try files.map { file in
      let bytes = try RegularFile(path: folder + "/" + file).bytes(limit: 1 << 30)
      return (name: file, hash: ContentHash(of: bytes).description)
    }
    let manifest = hashes.map { "\($0.hash)  \($0.name)\n" }.joined()
    profile.source.hash = ContentHash(of: manifest).description
    try AtomicFile.write(manifest, to: folder + "/SHA256SUMS")
    return Certificate(
      profile: profile, notes: outcome.notes, figures: outcome.figures, host: Host.name,
      recordings: hashes, method: method)
  }

  private var method: [(name: String, value: String)] {
    let (drive, capture) = (choice.rig.drive, choice.rig.capture)
    let sensors = capture.channels.filter { $0.role == .acceleration }
    let reference = capture.channel(.reference).map { "captured on \($0.name)" } ?? "not captured"
    return [
      ("rig file", choice.path), ("drive", "\(drive.device.kind.rawValue), \(drive.rate)"),
    ] + sensors.map { ("sensor \($0.name)", $0.sensorFact) } + [
      (
        "reference",
        drive.channels[.reference] == nil
          ? "none: the delay holds the electrical one too" : reference
      )
    ]
  }

  private static func kept(in folder: String) -> String {
    // What describes a segment appears last, under a name that begins with its number.
    let count = ((try? Folder.names(in: folder)) ?? []).count {
      $0.hasSuffix(".json") && $0.first?.isNumber == true
    }
    guard count > 0 else { return "the old profile stays, and nothing was measured yet" }
    return
      "the old profile stays, and \(count) segment\(count == 1 ? " is" : "s are") kept: the same command "
      + "goes on from here, --restart begins anew"
  }

  private func askToMount(_ title: String, _ folder: String) throws {
    let isDone = user.ask(
      "\(title) take the actuator off, mount it again as before, let go of it, then press Return")
    try user.check("; \(Self.kept(in: folder))")
    guard isDone else {
      throw InputError(
        "the input ended before the actuator was mounted again \(title): each remount waits for a "
          + "line; give the same command again to go on from here, without --remounts to end without"
      )
    }
  }
}

private final class ResumeCounter: Sendable {
  private let segments = Atomic<Int>(0)

  var count: Int { segments.load(ordering: .relaxed) }

  func add() { segments.add(1, ordering: .relaxed) }
}

struct CalibrationKey {
  private let parts: [(name: String, value: String)]

  init(_ parts: [(name: String, value: String)]) { self.parts = parts }

  /// What differs where the names do: another version asked for other things.
  private static let version = "another version of haprig"

  var text: String { parts.map { "\($0.name): \($0.value)\n" }.joined() }

  /// What differs from an earlier key, in words that 'made with' stands before; nil where nothing does.
  func change(since earlier: [UInt8]) -> String? {
    guard earlier != Array(text.utf8) else { return nil }
    let lines = String(decoding: earlier, as: UTF8.self).split(separator: "\n")
    var changes: [String] = []
    for (name, value) in parts {
      guard let line = lines.first(where: { $0.hasPrefix(name + ": ") }) else {
        return Self.version
      }
      let old = line.dropFirst(name.count + 2)
      guard old != value else { continue }
      // A rig file stands in the key as its hash, which tells a reader nothing.
      changes.append(
        name == "rig file" ? "another rig file" : "another \(name) (\(old), not \(value))")
    }
    return changes.isEmpty ? Self.version : changes.joined(separator: " and ")
  }
}

package enum CheckWorkflow {
  /// Plays, and compares with a profile: its file, or a folder of profiles.
  ///
  /// What is found is kept beside the profile.
  package static func execute(
    _ choice: ActuatorChoice, profile path: String, by user: RigOperator
  ) async throws -> CalibrationCheck.Outcome {
    let profile = try LoadedProfile(path: path, for: choice.rig)
    user.tell(
      .work(
        LiveEvent.Work(
          rig: choice.rig.name, title: "check \(choice.actuator.id)",
          actuators: [choice.actuator.id])))
    profile.noteTemperature(on: choice.rig.atItsTemperature(by: user), to: user)
    let open = try OpenSession(
      choice.rig, without: "\(choice.path): a check needs a rig that records", by: user)
    let rig = open.rig
    let laws = profile.profile.laws
    let subject = CalibrationSubject(
      rig: rig, actuator: rig.actuators[0], target: laws.target, sharpness: laws.sharpness,
      referenceIsGiven: true, run: "check", program: user.software, date: Host.time("%Y-%m-%d"))
    defer { user.tell(.idle) }
    var procedure = CalibrationCheck(subject: subject, profile: profile.profile)
    try await SegmentRun(rig: rig, limits: subject.actuator.limits, store: nil).execute(
      &procedure, on: open.session
    ) { user.tell($0) }
    try open.finish()
    guard let outcome = procedure.outcome() else {
      throw InputError("\(choice.path): the check ended without a finding")
    }
    do {
      try CheckLog(profile: profile.path).add(
        CheckLog.Entry(
          date: Host.time("%Y-%m-%dT%H:%M:%SZ"), rig: rig.name,
          calibration: profile.profile.source.run, program: user.software, outcome: outcome))
    } catch {
      // What was found is told all the same.
      user.notice(.warning, "what the check found is not kept: \(error)")
    }
    return outcome
  }
}

package enum FleetWorkflow {
  package struct Outcome: Sendable {
    package let targeting: FleetTargeting
    package let isAsked: Bool
    package let written: [String]
    /// Whose profile has lost what was verified under another level.
    package let unproven: [String]
  }

  /// Without a reference it is the highest level that all reach; without `out` files are replaced.
  package static func execute(folder: String, reference: Double?, out: String?) throws -> Outcome {
    let profiles = try ProfileFolder(path: folder).files().map { try LoadedProfile(file: $0) }
    try profiles.requireDistinctActuators()
    let targeting = try InputError.naming(folder + ": ") {
      try FleetTargeting(profiles.map(\.profile), reference: reference)
    }
    let level = targeting.referenceLevel
    if let out { try Folder.make(out) }
    // Into another folder goes the whole fleet, what has the level already too.
    let changed = profiles.filter { out != nil || $0.profile.laws.referenceLevel != level }
    let files = changed.map { loaded in
      (
        text: loaded.profile.retargeted(to: level).text,
        path: out.map { ProfileFolder(path: $0).file(named: loaded.path) } ?? loaded.path
      )
    }
    try AtomicFile.write(files)
    let unproven = profiles.filter {
      $0.profile.laws.referenceLevel != level && $0.profile.verification != nil
    }.map(\.profile.actuator.id)
    return Outcome(
      targeting: targeting, isAsked: reference != nil, written: files.map(\.path),
      unproven: unproven)
  }
}
