// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ChangeDetection
import Devices
import JSONText
import Reporting
import RigFiles
import RunArchive
import Workflows

struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: """
      Decide what new nights are compared with: accept a new level, or pin a run; list and \
      withdraw decisions.
      """,
    discussion: """
      The baseline is the level that new nights are compared with. 'accept' takes a change as the new level: it \
      raises no alarm any more, and later nights are compared with the nights after it. 'pin' makes one run the \
      level; that run is never pruned. If several decisions concern one series, the latest counts. A pin, however, \
      holds until it is withdrawn, or until a later decision names everything that the pin names. Each decision is a \
      file in the archive's folder 'baselines' that says who decided, when and why.

      EXAMPLES
        haprig baseline accept --rig bench-1 --incident 2026-11-21 --why "new amplifier"
        haprig baseline accept --rig bench-1 --reading 'latency.*' --why "new amplifier, +0.4 ms"
        haprig baseline pin 20261121-020000-bench-1-nightly --why "golden sample, measured in the lab"
        haprig baseline list --rig bench-1
        haprig baseline withdraw 20261121T093000Z-1f3a77c0.json
      """,
    subcommands: [
      BaselineAcceptCommand.self, BaselinePinCommand.self, BaselineListCommand.self,
      BaselineWithdrawCommand.self,
    ])
}

struct BaselineAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept every change up to a night as the new level.")

  @OptionGroup var archive: ArchiveOptions

  @OptionGroup var rig: ArchivedRigOption

  @Option(
    help: ArgumentHelp(
      "Accept the changes up to this night (default: the rig's newest).", valueName: "day"))
  var until: String?

  @Option(
    help: ArgumentHelp(
      "Accept the incident that began on this day, with all readings that haprig regress lists for it.",
      valueName: "day"))
  var incident: String?

  @Option(
    help: "The plan of --incident: its name or file (default: haprig.toml's, else the only one).",
    completion: .yaml)
  var plan: String?

  @OptionGroup var decision: DecisionOptions

  func validate() throws {
    try Usage.requireDay("--until", until)
    try Usage.requireDay("--incident", incident)
    try Usage.require(
      incident == nil || until == nil,
      "--incident accepts what happened on one day, and --until all up to a day: name one of them")
    try Usage.require(incident != nil || plan == nil, "--plan goes with --incident")
  }

  func run() throws {
    let archive = try archive.open()
    let rig = try rig.name(in: archive)
    let plans = try RigPlans(archive, rig: rig)
    guard let day = incident.flatMap({ CalendarDay($0) }) else {
      let last = until.flatMap { CalendarDay($0) }
      return decision.show(try decision.order.accept(until: last, rig: rig, archive))
    }
    let question = HistoryQuestion(rig: rig, plan: try plans.plan(Configured.planName(plan)))
    let report = try HistoryReader(archive, question).report()
    decision.show(try decision.order.accept(day, in: report, archive))
  }
}

struct BaselinePinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Make the values of one run the baseline; the run is never pruned.")

  @Argument(help: ArgumentHelp("The run, by the name of its folder.", valueName: "run"))
  var id: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var decision: DecisionOptions

  func run() throws {
    let archive = try archive.open()
    let run = try archive.run(id)
    decision.show(
      try decision.order.keep(.pinned(run: run.id), rig: run.rig, day: run.day, in: archive))
  }
}

struct BaselineListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the decisions, oldest first.")

  @OptionGroup var archive: ArchiveOptions

  @Option(help: "Only decisions about this rig: its name or file.", completion: .yaml)
  var rig: String?

  @Flag(help: "Print the decisions as JSON, each with the name of its file.")
  var json = false

  func run() throws {
    let archive = try archive.open()
    let rig = try Configured.rigName(only: rig)
    let decisions = try archive.decisions()
      .filter { (rig ?? $0.kept.decision.scope.rig) == $0.kept.decision.scope.rig }
    guard !json else {
      let list = decisions.map { file, kept in
        JSONValue.object([JSONMember("file", .string(file))] + (kept.json.members ?? []))
      }
      return Console.out(.array(list), sortedKeys: true)
    }
    guard !decisions.isEmpty else {
      return Console.error(
        "haprig: \(archive.location.description): nobody has decided on a baseline yet")
    }
    for (file, kept) in decisions {
      let decision = kept.decision
      Console.out(
        "\(file.printable)\n  \(decision.summary)\n"
          + "  \(decision.who.printable), \(decision.when): \(decision.why.printable)\n")
    }
  }
}

struct BaselineWithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw",
    abstract: "Take a decision back. The one before it applies again, if there is one.")

  @Argument(help: "The decision's file, as 'haprig baseline list' names it.")
  var file: String

  @OptionGroup var archive: ArchiveOptions

  func run() throws {
    let archive = try archive.open()
    try archive.withdraw(decision: file)
    Console.out("\(file.printable): withdrawn\n")
  }
}

struct DecisionOptions: ParsableArguments {
  @Option(help: "The reason, in a sentence or two, for later readers of the history.")
  var why: String

  @Option(help: "Who decided (default: this user).")
  var who: String?

  @OptionGroup var series: SeriesOptions

  func validate() throws {
    guard why.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("--why is empty: say why, since who reads the history later will ask")
    }
  }

  var order: BaselineOrder {
    BaselineOrder(why: why, who: who, about: series.selection)
  }

  func show(_ outcome: BaselineOrder.Outcome) {
    for decision in outcome.kept { Console.out("\(decision.file): \(decision.summary)\n") }
    for pin in outcome.standing {
      Console.out(
        "\(pin.summary), and stays so: decide on it by name, or 'haprig baseline withdraw "
          + "\(pin.file.printable)'\n")
    }
  }
}
