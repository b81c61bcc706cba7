// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ArgumentParser
import Bench
import ChangeDetection
import Devices
import GaugeStudy
import Reporting
import RunArchive
import Workflows

struct GaugeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gauge",
    abstract:
      "Find out how much of a reading's scatter comes from the measurement, and how much from the actuators.",
    discussion: """
      A study (docs/GAUGE.md) names actuators, rigs and readings, and how many days, mounts and repeats to measure. \
      'run' does today's part on one rig and asks for each mount. 'report' evaluates the runs of the study in the \
      archive: components of variance with confidence intervals, classes, limits.

      EXAMPLES
        haprig gauge run --study lra-gauge.yaml --rig bench-1.yaml --archive /srv/haprig
        haprig gauge run --study lra-gauge.yaml --rig bench-1.yaml --mount lra-2
        haprig gauge report --study lra-gauge.yaml --archive /srv/haprig --html gauge.html
      """,
    subcommands: [GaugeRunCommand.self, GaugeReportCommand.self])
}

struct StudyOption: ParsableArguments {
  @Option(name: .customLong("study"), help: "The study's file.", completion: .yaml)
  var file: String
}

struct GaugeRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Do today's remaining part of a study on one rig, mount by mount.",
    discussion: """
      Before each mount the command waits for a line on standard input: Return when you have mounted the actuator \
      again, s to skip it today, q to end. What is already done is read from the archive, so run the command again \
      to continue. If a mount is given up, its runs stay, and the mount is asked for again.

      EXIT CODES
        0 today's part is done, or you ended it with q    2 wrong usage or input
        3 a device fault    130, 143 interrupted
      """)

  @OptionGroup var study: StudyOption
  @OptionGroup var rig: RigFileOption
  @OptionGroup var archive: ArchiveOptions

  @Option(
    help: ArgumentHelp(
      "This actuator is mounted now; measure it without asking.", valueName: "actuator"))
  var mount: String?

  @OptionGroup(title: "OPTIONS OF THE RUNS") var playing: PlanRunOptions

  @Flag(name: .shortAndLong, help: "Show no progress, but still ask the questions.")
  var quiet = false

  func validate() throws {
    try Usage.require(
      playing.actuator == nil, "a study says itself which actuator is mounted: leave --actuator out"
    )
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    let location = try archive.location()
    let file = try StudyFile(file: study.file)
    let order = try playing.order(
      [file.plan], on: RigChoice(file: rig.file), archive: location)
    let today = Moment(seconds: Host.secondsSince1970).day
    let outcome = try await GaugeWorkflow(file, order, in: location, today: today, by: user)
      .execute(mount: mount)
    Console.out(Self.text(outcome))
  }

  private static func text(_ outcome: GaugeWorkflow.Outcome) -> String {
    let progress = outcome.progress
    let open = outcome.open
    let done = "\(progress.doneMounts) of \(progress.study.mountCount) mounts are done"
    if !open.isEmpty {
      return "\(done); left today on \(outcome.rig.printable): \(StudyProgress.words(for: open))\n"
    }
    let days = progress.study.days - progress.days(of: outcome.rig).count
    return
      "\(done); \(outcome.rig.printable) is done for today"
      + (days > 0 ? ", \(Count.of(days, "day")) left" : ", and with the study") + "\n"
  }
}

struct GaugeReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Report the results of a study so far.",
    discussion: """
      EXIT CODES
        0 every reading is good or usable, or not judged yet    1 at least one is not good enough
        2 wrong usage or input
      """)

  @OptionGroup var study: StudyOption
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var words: VerboseOption

  @Flag(help: "Print the report as JSON (docs/GAUGE.md).")
  var json = false

  @Flag(help: "Print every value as CSV.")
  var csv = false

  @Option(
    help: "Write the report to this file, as one page that needs no network.",
    completion: .html)
  var html: String?

  func validate() throws {
    try Usage.require(!json || !csv, "--json and --csv exclude each other")
  }

  func run() throws {
    let study = try StudyFile(file: study.file).study
    let archive = try archive.open()
    Console.warn(archive.unreadable, "not indexed: ")
    let report = try StudyProgress(study, in: archive).report(from: archive)
    try HistoryOutput.write(GaugePage(report).text, to: html)
    if csv {
      Console.out(GaugeCSV.text(report))
    } else if json {
      Console.out(report.json)
    } else {
      Console.out(
        GaugeText.table(report, color: Console.hasColour, explaining: words.verbose))
    }
    if report.verdict == .fail { throw ExitStatus.failed }
  }
}
