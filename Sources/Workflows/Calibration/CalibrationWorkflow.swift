import Actuators
import Bench
import Calibration
import Devices
import JSONText
public import Perception
import Profiles
public import Reporting
import RunArchive
import Synchronization
import Units

/// A calibration from the opened rig to the written profile.
public struct CalibrationWorkflow: Sendable {
  private let choice: ActuatorChoice
  private let user: RigOperator
  /// The folder that the profile is written to.
  public var profiles = ProfileFolder(path: "calibration")
  /// The folder that the run's folder is made in.
  public var reports = ArchiveLocation.standardFolder
  /// What levels are judged by.
  public var target = RequestedLaws().target
  /// Sharpness to frequency.
  public var sharpness = SharpnessLaw.log80To230
  /// Whether the level of intensity 1 was asked for; else it is the highest that is held.
  public var referenceIsGiven = false
  /// Whether to begin anew where an earlier calibration was stopped.
  public var restarts = false
  /// How often the actuator is mounted again at the end.
  public var remounts = 0

  /// Makes a calibration that has not begun.
  public init(_ choice: ActuatorChoice, by user: RigOperator) {
    self.choice = choice
    self.user = user
  }

  /// What came of it.
  public struct Outcome: Sendable {
    /// What was found.
    public let certificate: Certificate
    /// The file of the profile.
    public let profile: String
    /// The run's folder.
    public let folder: String
    /// How many segments were taken from before a stop.
    public let resumed: Int
  }

  /// Measures, and writes certificate and profile.
  ///
  /// - Throws: `CalibrationRefusal` where it cannot go on, `WorkflowError` where it was stopped, with what is
  ///   kept to go on with.
  public func execute() async throws -> Outcome {
    let stamp = Host.time("%Y%m%d-%H%M%S")
    let name = "\(stamp)-\(choice.rig.name)-calibrate-\(choice.actuator.id)"
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
      throw WorkflowError.ended(error, KeptSegments(folder: folder.path).sentence)
    }
    let certificate = try certificate(outcome, in: folder.path)
    do throws(ProfileError) {
      _ = try CalibrationProfile(parsing: Array(certificate.profile.text.utf8))
    } catch {
      folder.clear()
      throw CalibrationRefusal(
        .profileImplausible, "what was measured does not fit together: \(error.message)")
    }
    try folder.write(certificate.json.text(indent: 1) + "\n", to: "certificate.json")
    try folder.write(certificate.html, to: "certificate.html")
    // The certificate is on the disk: now the old profile may go. What was measured can be gone on with
    // until the new one is there.
    do throws(ArchiveError) {
      try write(certificate.profile)
    } catch {
      throw ArchiveError(
        path: error.path,
        message: error.message
          + "; what was measured is kept: the same command then writes the profile")
    }
    try folder.remove(Self.keyFile)
    try folder.keep()
    return Outcome(
      certificate: certificate, profile: profiles.file(of: certificate.profile.actuator.id),
      folder: folder.finalPath, resumed: counter.count)
  }

  /// What makes two calibrations the same work.
  private var key: CalibrationKey {
    CalibrationKey([
      ("version of haprig", user.version),
      ("rig file", ContentHash(of: choice.text).description),
      ("actuator", choice.actuator.id),
      ("--intensity-law", target.law.name), ("--sharpness-law", sharpness.name),
      ("contour", target.contour.name),
      ("--reference", referenceIsGiven ? "\(target.referenceLevel)" : "none"),
      ("--temperature", choice.actuator.temperature.map { "\($0)" } ?? "none"),
    ])
  }

  /// Whether to begin anew; what an earlier calibration left must belong to this one.
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
  /// More than a profile takes, in bytes.
  private static let profileRoom = 1 << 17

  private func measure(
    in folder: String, run: String, _ counter: ResumeCounter
  ) async throws -> CalibrationOutcome {
    try user.check(" before anything played")
    let open = try OpenSession(
      choice.rig, without: "\(choice.path): a calibration needs a rig that records", by: user)
    let rig = open.rig
    var subject = CalibrationSubject(
      rig: rig, actuator: rig.actuators[0], target: target, sharpness: sharpness,
      referenceIsGiven: referenceIsGiven,
      earlier: try? LoadedProfile(file: profiles.file(of: rig.actuators[0].id)).profile, run: run,
      program: user.software, date: Host.time("%Y-%m-%d"))
    subject.remounts = remounts
    defer { user.tell(.idle) }
    let kept = KeptSegments(folder: folder)
    var mounted = 0
    var procedure = CalibrationProcedure(subject: subject)
    let segments = SegmentRun(
      rig: rig, limits: subject.actuator.limits,
      store: SegmentStore(folder: folder) { try AtomicFile.write($0, to: $1) })
    try await segments.execute(
      &procedure, on: open.session,
      progress: { [user] event in
        user.tell(.segment(event))
        if case .resumed = event { counter.add() }
      },
      prepare: { segment in
        guard segment.purpose == .remount else { return }
        mounted += 1
        try askToMount("[\(mounted)/\(remounts)]", kept)
      })
    try open.finish()
    guard let outcome = procedure.outcome() else {
      throw InputError("\(choice.path): the calibration ended without a profile")
    }
    return outcome
  }

  /// Signs the outcome with the hash of what it was measured from.
  private func certificate(
    _ outcome: CalibrationOutcome, in folder: String
  ) throws -> Certificate {
    var profile = outcome.profile
    let files = try Folder.names(in: folder).filter { $0.hasSuffix(".wav") }
    let hashes = try files.map { file in
      (
        file,
        ContentHash(of: try RegularFile(path: folder + "/" + file).bytes(limit: 1 << 30))
          .description
      )
    }
    let manifest = hashes.map { "\($1)  \($0)\n" }.joined()
    profile.source.hash = ContentHash(of: manifest).description
    try AtomicFile.write(manifest, to: folder + "/SHA256SUMS")
    return Certificate(
      profile: profile, notes: outcome.notes, figures: outcome.figures, host: Host.name,
      recordings: hashes.map { Certificate.File(name: $0.0, hash: $0.1) }, method: method)
  }

  /// How was measured, as far as the rig file says.
  private var method: [Certificate.Fact] {
    let rig = choice.rig
    var facts = [
      Certificate.Fact(name: "rig file", value: choice.path),
      Certificate.Fact(
        name: "drive", value: "\(rig.drive.device.kind.rawValue), \(rig.drive.rate)"),
    ]
    for channel in rig.capture.channels where channel.role == .acceleration {
      facts.append(Certificate.Fact(name: "sensor \(channel.name)", value: channel.sensorFact))
    }
    let reference = rig.capture.channel(.reference)
    facts.append(
      Certificate.Fact(
        name: "reference",
        value: rig.drive.channels[.reference] == nil
          ? "none: the delay holds the electrical one too"
          : reference.map { "captured on \($0.name)" } ?? "not captured"))
    return facts
  }

  private func write(_ profile: CalibrationProfile) throws(ArchiveError) {
    try AtomicFile.write(profile.text, to: profiles.file(of: profile.actuator.id))
  }

  /// Asks for the actuator to be mounted again, and waits.
  private func askToMount(_ title: String, _ kept: KeptSegments) throws {
    let isDone = user.ask(
      "\(title) take the actuator off, mount it again as before, let go of it, then press Return")
    try user.check("; \(kept.sentence)")
    guard isDone else {
      throw InputError(
        "the input ended before the actuator was mounted again \(title): each remount waits for a "
          + "line; give the same command again to go on from here, without --remounts to end without"
      )
    }
  }
}

/// How many segments were taken from before a stop.
private final class ResumeCounter: Sendable {
  private let segments = Atomic<Int>(0)

  var count: Int { segments.load(ordering: .relaxed) }

  func add() { segments.add(1, ordering: .relaxed) }
}
