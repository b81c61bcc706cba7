import ArgumentParser
import Bench
import Calibration
import Devices
import JSONText
import Perception
import Profiles
import Reporting
import RigDevices
import Units

/// Looks in a few seconds whether an actuator still is what its profile says.
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract:
      "Check in 5 s whether an actuator has drifted from its profile, and by how many sigmas.",
    discussion: """
      Exit code 0 where nothing has drifted, 1 where something has.

      EXAMPLE
        haprig check --rig rigs/simulated-lra.yaml
      """)

  @Option(
    name: .long, help: "The rig's description (rigs/*.yaml).",
    completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(name: .long, help: "The actuator's id; the rig's only one where none is given.")
  var actuator: String?

  @Option(
    name: .long, help: "The profile, or the folder of profiles.",
    completion: .file(extensions: ["json"]))
  var profile = "calibration"

  @Flag(name: .long, help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    let choice = try ActuatorChoice(rig: rig, actuator: actuator)
    let loaded = try ExitStatus.of {
      try LoadedProfile(path: profile, for: choice.rig)
    }
    loaded.noteTemperature(on: choice.rig)
    Interruption.listen()
    let outcome: CalibrationCheck.Outcome
    do {
      outcome = try await check(choice, loaded.profile)
    } catch {
      throw ExitStatus.status(of: error)
    }
    Console.out(
      json
        ? CheckAccount(outcome: outcome).json.text(indent: 1) + "\n"
        : CheckAccount(outcome: outcome).text)
    if outcome.hasDrifted { throw ExitStatus(ExitStatus.failed) }
  }

  private func check(
    _ choice: ActuatorChoice, _ profile: CalibrationProfile
  ) async throws -> CalibrationCheck.Outcome {
    let open = try OpenSession(
      choice.rig, without: "\(choice.path): a check needs a rig that records")
    let rig = open.rig
    let subject = CalibrationSubject(
      rig: rig, actuator: rig.actuators[0], target: profile.laws.target,
      sharpness: profile.laws.sharpness, referenceIsGiven: true, run: "check",
      program: "haprig \(Version.text)", date: Host.time("%Y-%m-%d"))
    let line = ProgressLine(isQuiet: quiet)
    defer { line.clear() }
    let isQuiet = quiet
    var procedure = CalibrationCheck(subject: subject, profile: profile)
    try await SegmentRun(rig: rig, limits: subject.limits, store: nil).execute(
      &procedure, on: open.session
    ) { SegmentProgress(event: $0).show(on: line, isQuiet: isQuiet) }
    try open.finish()
    guard let outcome = procedure.outcome() else {
      throw InputError("\(choice.path): the check ended without a finding")
    }
    return outcome
  }
}
