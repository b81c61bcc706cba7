import Acceptance
import Actuators
import ArgumentParser
import Bench
import Calibration
import Devices
import JSONText
import Perception
import Profiles
import Reporting
import Units
import Workflows

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

  @Option(help: "The rig's description (rigs/*.yaml).", completion: .yaml)
  var rig: String?

  @Option(help: "The actuator's id; the rig's only one where none is given.")
  var actuator: String?

  @Option(help: "A folder of profiles to give one reference level.", completion: .directory)
  var fleet: String?

  @Option(
    name: [.customLong("reference"), .customLong("reference-level")],
    help: "The level of intensity 1, in dB above threshold (30, or the highest that is held).")
  var reference: Double?

  @Option(
    help: ArgumentHelp(
      "Sharpness to frequency: \(SharpnessLaw.named.map(\.name).joined(separator: ", ")) (log80-230)."
    ))
  var sharpnessLaw: String?

  @Option(
    help: ArgumentHelp(
      "Intensity to level: \(IntensityLaw.allCases.map(\.name).joined(separator: ", ")) (square)."))
  var intensityLaw: String?

  @Option(help: "The temperature in degrees Celsius, where the rig file has another.")
  var temperature: Double?

  @Option(
    help: "The folder that profiles are written to (calibration, or where those of a fleet are).",
    completion: .directory)
  var out: String?

  @Option(help: "The folder that run folders are made in (reports).", completion: .directory)
  var reports: String?

  @Option(
    help: ArgumentHelp(
      "How often to mount the actuator again at the end, asked for on the terminal (0 to 20).",
      discussion: "What mounting does to the gain then stands measured in the budget."))
  var remounts = 0

  @Flag(help: "Begin anew where an earlier calibration was stopped.")
  var restart = false

  @Flag(help: "Print the certificate, or the fleet's levels, as JSON.")
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
    let options: [(isGiven: Bool, name: String)] = [
      (actuator != nil, "--actuator"), (sharpnessLaw != nil, "--sharpness-law"),
      (intensityLaw != nil, "--intensity-law"), (temperature != nil, "--temperature"),
      (reports != nil, "--reports"), (remounts != 0, "--remounts"), (restart, "--restart"),
    ]
    return options.filter(\.isGiven).map(\.name)
  }

  func run() async throws {
    if let fleet {
      let outcome = try FleetWorkflow.execute(
        folder: fleet, reference: reference, out: out)
      return Console.out(FleetListing(outcome: outcome), asJSON: json)
    }
    guard let rig else { return }
    let outcome = try await calibrate(rig)
    Console.out(outcome.certificate, asJSON: json)
    if !json {
      if outcome.resumed > 0 {
        Console.out("  \(outcome.resumed) segments were taken from before the stop\n")
      }
      Console.out("profile: \(outcome.profile)\n")
      Console.out("certificate: \(outcome.folder)/certificate.html\n")
    }
    if outcome.certificate.verdict == .fail { throw ExitStatus.failed }
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
}

private struct FleetListing: Listing {
  let outcome: FleetWorkflow.Outcome

  private var targeting: FleetTargeting { outcome.targeting }

  var text: String {
    func tenths(_ value: Double) -> String { EngineeringFormat.fixed(value, 1) }
    let table = TextTable(
      head: ["actuator", "holds up to", "at", "gives up", "grid points"],
      rows: targeting.members.map { member in
        [
          member.id, "\(tenths(member.highestLevel)) dB SL",
          "\(tenths(member.strongestFrequency)) Hz", "\(tenths(member.loss)) dB",
          "\(member.reachedPoints) of \(FeltGrid.intensities.count * FeltGrid.sharpnesses.count)",
        ]
      })
    let level = tenths(targeting.referenceLevel)
    let reason = outcome.isAsked ? "as asked for" : "the most that \(targeting.weakest) holds"
    let short = targeting.members.filter { !$0.isReached }
    let warning = short.map {
      "  \($0.id) holds \(tenths(-$0.loss)) dB less than that: what is asked of it beyond is compressed\n"
    }.joined()
    return "reference level: \(level) dB SL (\(reason))\n" + table.text + warning
      + count + proof
  }

  private var count: String {
    let count = outcome.written.count
    return count == 0
      ? "no profile was written: all have that level\n"
      : "\(Count.of(count, "profile")) \(count == 1 ? "was" : "were") written\n"
  }

  private var proof: String {
    guard !outcome.unproven.isEmpty else { return "" }
    return "no longer verified, since that was under another level: "
      + outcome.unproven.joined(separator: ", ")
      + "; 'haprig calibrate --rig ... --reference \(targeting.referenceLevel)' verifies one under it\n"
  }

  var json: JSONValue {
    [
      "referenceLevel": .number(targeting.referenceLevel), "isAsked": .bool(outcome.isAsked),
      "weakest": .string(targeting.weakest),
      "members": .array(
        targeting.members.map { member in
          [
            "id": .string(member.id), "highestLevel": .number(member.highestLevel),
            "strongestFrequency": .number(member.strongestFrequency),
            "loss": .number(member.loss), "isReached": .bool(member.isReached),
            "reachedPoints": .integer(member.reachedPoints),
          ]
        }),
      "written": .array(outcome.written.map(JSONValue.string)),
      "unproven": .array(outcome.unproven.map(JSONValue.string)),
    ]
  }
}

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

  @OptionGroup var rig: RigFileOption

  @Option(help: "The actuator's id; the rig's only one where none is given.")
  var actuator: String?

  @Option(help: "The profile, or the folder of profiles.", completion: .json)
  var profile = "calibration"

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    let outcome = try await CheckWorkflow.execute(
      ActuatorChoice(rig: rig.file, actuator: actuator), profile: profile,
      by: .terminal(isQuiet: quiet))
    Console.out(CheckTable(outcome: outcome), asJSON: json)
    if outcome.hasDrifted { throw ExitStatus.failed }
  }
}
