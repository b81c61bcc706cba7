// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CAllocator
private import Glibc
import LiveRuns
import RigFiles

/// Where the program starts: parses, runs, and turns every error into one sentence and an exit code.
@main
enum Main {
  static func main() async {
    // A program at the other end of a pipe may end first; a write then fails instead of killing us.
    signal(SIGPIPE, SIG_IGN)
    // Likewise a write beyond the size that files may have (ulimit -f).
    signal(SIGXFSZ, SIG_IGN)
    // Takes come and go with blocks of many megabytes. The C library would raise the size from which it
    // gives memory back after each, keep more and more of it, and a run of days would grow.
    mallopt(M_MMAP_THRESHOLD, 1 << 20)
    do {
      let arguments = LintArguments.spelledOut(Array(CommandLine.arguments.dropFirst()))
      try Haprig.requireCommands(in: arguments)
      var command = try Haprig.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      LiveWork.writer.finish(status: 0, sentence: nil)
    } catch {
      end(with: error)
    }
  }

  private static func end(with error: any Error) -> Never {
    if let status = ExitStatus(of: error) {
      if let message = status.message { Console.error(message) }
      LiveWork.writer.finish(status: status.code, sentence: status.sentence)
      exit(status.code)
    }
    let code = Haprig.exitCode(for: error)
    let text = Haprig.fullMessage(for: error)
    guard code != .success else {
      print(text)
      exit(0)
    }
    if !text.isEmpty { Console.error(OptionHint.added(to: text)) }
    // The argument parser says 64 for wrong usage; haprig's code for it is 2.
    let status = code == .validationFailure ? ExitStatus.Code.wrongInput.rawValue : code.rawValue
    LiveWork.writer.finish(status: status, sentence: text)
    exit(status)
  }
}

struct Haprig: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "haprig",
    abstract: "The hardware-in-the-loop rig for haptics.",
    discussion: """
      Plays AHAP patterns on an actuator, records what it really did, and scores latency, \
      audio-haptic sync and fidelity against what the pattern asked for.

      EXAMPLES
        haprig demo
        haprig run rigs/patterns --rig rigs/simulated-lra.yaml
        haprig run rigs/plans/nightly.yaml --rig rigs/simulated-lra.yaml --json
        haprig score reports/*-demo
        haprig regress --rig simulated-lra --plan nightly
        haprig diff reports/MONDAY reports/TUESDAY --html diff.html
        haprig calibrate --rig rigs/simulated-lra.yaml
        haprig watch
        haprig lint --strict *.ahap
        haprig convert tap.ahap tap.haptic
        haprig compose kick.wav --out kick.ahap
        haprig render tap.ahap --out drive.wav

      EXIT CODES
        0    pass or marginal
        1    a limit failed, a required reading is missing, results became worse,
             or lint found errors
        2    wrong usage or input
        3    a device fault, or a setup check failed
        75   another program holds the rig: try again
        129, 130, 143 interrupted
      """,
    version: Version.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Play and measure",
        subcommands: [
          DemoCommand.self, RunCommand.self, PlayCommand.self, FollowCommand.self,
          LatencyCommand.self, ScoreCommand.self, ObserveCommand.self, WatchCommand.self,
          StopCommand.self,
        ]),
      CommandGroup(
        name: "Calibrate",
        subcommands: [
          CalibrateCommand.self, CheckCommand.self, CompareCommand.self, GaugeCommand.self,
          SensorCommand.self,
        ]),
      CommandGroup(
        name: "Patterns",
        subcommands: [
          LintCommand.self, FormatCommand.self, ConvertCommand.self, ExportCommand.self,
          ComposeCommand.self, RenderCommand.self,
        ]),
      CommandGroup(
        name: "Archive and nights",
        subcommands: [
          NightlyCommand.self, HistoryCommand.self, RegressCommand.self, BaselineCommand.self,
          DiffCommand.self, ArchiveCommand.self,
        ]),
      CommandGroup(
        name: "Rigs and workbench",
        subcommands: [
          InitCommand.self, RigCommand.self, DoctorCommand.self, DevicesCommand.self,
          FleetCommand.self, ServeCommand.self,
        ]),
    ])

  /// Refuses a command that there is not, with the one that was probably meant.
  ///
  /// The parser would take the word for an argument too many, and `nosuch --help` for a wish to see the main help.
  static func requireCommands(in arguments: [String]) throws {
    var command: any ParsableCommand.Type = Haprig.self
    var typed = ["haprig"]
    for word in arguments {
      let below = command.configuration.subcommands
      guard !below.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
      guard let next = below.first(where: { $0._commandName == word }) else {
        let names = below.map { $0._commandName }
        throw ExitStatus(
          .wrongInput,
          "\(typed.joined(separator: " ")) has no command '\(word)'"
            + Nearest.hint(for: word, in: names)
            + ": \(typed.joined(separator: " ")) --help lists them")
      }
      command = next
      typed.append(word)
    }
  }
}
