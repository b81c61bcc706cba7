import ArgumentParser
import Calibration
import JSONText
import Reporting
import Workflows

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
    let outcome = try await ExitStatus.awaited {
      let choice = try ActuatorChoice(rig: rig, actuator: actuator)
      return try await CheckWorkflow.execute(
        choice, profile: profile, by: .terminal(isQuiet: quiet))
    }
    let account = CheckAccount(outcome: outcome)
    Console.out(json ? account.json.text(indent: 1) + "\n" : account.text)
    if outcome.hasDrifted { throw ExitStatus(ExitStatus.failed) }
  }
}
