import Acceptance
import Actuators
import ArgumentParser
import Bench
import Devices
import JSONText
import Perception
import Reporting
import Workflows

/// Makes an actuator's profile, or gives a fleet one reference level.
struct CalibrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Calibrate an actuator: measure it, fit its profile, prove it by measuring again.",
    discussion: """
      Writes calibration/ID.json, under which intensity and sharpness feel the same as on every other \
      profiled actuator, and a certificate beside the recordings in reports/. A calibration that was \
      stopped goes on where it was when the same command is given again. The old profile stays until \
      the new one is whole. The exit code is 1 where a goal is missed that nothing named keeps out of \
      reach; the profile is written all the same.

      With --fleet nothing is played: the profiles of a folder are given the highest reference level \
      that all of them reach, or the one that is asked for, where they are or in another folder \
      (--out).

      EXAMPLES
        haprig calibrate --rig rigs/simulated-lra.yaml
        haprig calibrate --rig bench.yaml --actuator lra-07 --temperature 23.5
        haprig calibrate --rig bench.yaml --actuator lra-07 --remounts 5
        haprig calibrate --fleet calibration/
        haprig calibrate --fleet calibration/ --reference 27
      """)

  @Option(
    name: .long, help: "The rig's description (rigs/*.yaml).",
    completion: .file(extensions: ["yaml"]))
  var rig: String?

  @Option(name: .long, help: "The actuator's id; the rig's only one where none is given.")
  var actuator: String?

  @Option(
    name: .long, help: "A folder of profiles to give one reference level.", completion: .directory)
  var fleet: String?

  @Option(
    name: [.customLong("reference"), .customLong("reference-level")],
    help: "The level of intensity 1, in dB above threshold (30, or the highest that is held).")
  var reference: Double?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Sharpness to frequency: \(SharpnessLaw.named.map(\.name).joined(separator: ", ")) (log80-230)."
    ))
  var sharpnessLaw: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Intensity to level: \(IntensityLaw.allCases.map(\.name).joined(separator: ", ")) (square)."))
  var intensityLaw: String?

  @Option(name: .long, help: "The temperature in degrees Celsius, where the rig file has another.")
  var temperature: Double?

  @Option(
    name: .long,
    help: "The folder that profiles are written to (calibration, or where those of a fleet are).",
    completion: .directory)
  var out: String?

  @Option(
    name: .long, help: "The folder that run folders are made in (reports).",
    completion: .directory)
  var reports: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How often to mount the actuator again at the end, asked for on the terminal (0 to 20).",
      discussion: "What mounting does to the gain then stands measured in the budget."))
  var remounts = 0

  @Flag(name: .long, help: "Begin anew where an earlier calibration was stopped.")
  var restart = false

  @Flag(name: .long, help: "Print the certificate, or the fleet's levels, as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    guard rig != nil || fleet != nil else {
      throw ValidationError("Name a rig (--rig) to measure, or a folder of profiles (--fleet)")
    }
    guard rig == nil || fleet == nil else {
      throw ValidationError(
        "--rig measures an actuator, --fleet re-targets profiles: give one of the two, not both")
    }
    if fleet != nil, let option = measuringOptions.first {
      throw ValidationError(
        "\(option) belongs to --rig: with --fleet nothing is measured and profiles keep their laws")
    }
    guard (0...20).contains(remounts) else {
      throw ValidationError("--remounts takes 0 to 20, not \(remounts)")
    }
    try LawOptions.check(sharpness: sharpnessLaw, intensity: intensityLaw, level: reference)
    if let temperature, !(-40...125).contains(temperature) {
      throw ValidationError("--temperature takes -40 to 125 degrees Celsius, not \(temperature)")
    }
  }

  /// What was given of the options that only a measurement takes.
  private var measuringOptions: [String] {
    [
      (actuator != nil, "--actuator"), (sharpnessLaw != nil, "--sharpness-law"),
      (intensityLaw != nil, "--intensity-law"), (temperature != nil, "--temperature"),
      (reports != nil, "--reports"), (remounts != 0, "--remounts"), (restart, "--restart"),
    ].filter(\.0).map(\.1)
  }

  func run() async throws {
    if let fleet {
      let account = FleetAccount(
        outcome: try ExitStatus.of {
          try FleetWorkflow.execute(folder: fleet, reference: reference, out: out)
        })
      Console.out(json ? account.json.text(indent: 1) + "\n" : account.text)
      return
    }
    guard let rig else { return }
    let outcome = try await ExitStatus.awaited { try await calibrate(rig) }
    show(outcome)
    if outcome.certificate.verdict == .fail { throw ExitStatus(ExitStatus.failed) }
  }

  private func calibrate(_ rig: String) async throws -> CalibrationWorkflow.Outcome {
    let choice = try ActuatorChoice(rig: rig, actuator: actuator, temperature: temperature)
    guard remounts == 0 || ![.erm, .piezo].contains(choice.actuator.kind) else {
      throw InputError(
        "\(rig): --remounts compares the resonance of a small signal, which kind "
          + "'\(choice.actuator.kind.rawValue)' need not have: leave it out")
    }
    var laws = RequestedLaws()
    laws.intensity = intensityLaw.flatMap { IntensityLaw(rawValue: $0) }
    laws.referenceLevel = reference
    var calibration = CalibrationWorkflow(choice, by: .terminal(isQuiet: quiet))
    calibration.target = laws.target
    if let law = sharpnessLaw.flatMap({ SharpnessLaw.named($0) }) { calibration.sharpness = law }
    calibration.referenceIsGiven = reference != nil
    if let out { calibration.profiles = ProfileFolder(path: out) }
    if let reports { calibration.reports = reports }
    calibration.restarts = restart
    calibration.remounts = remounts
    return try await calibration.execute()
  }

  private func show(_ outcome: CalibrationWorkflow.Outcome) {
    guard !json else {
      Console.out(outcome.certificate.json.text(indent: 1) + "\n")
      return
    }
    Console.out(outcome.certificate.text)
    if outcome.resumed > 0 {
      Console.out("  \(outcome.resumed) segments were taken from before the stop\n")
    }
    Console.out("profile: \(outcome.profile)\n")
    Console.out("certificate: \(outcome.folder)/certificate.html\n")
  }
}
