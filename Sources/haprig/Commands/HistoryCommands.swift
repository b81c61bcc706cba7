// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ArgumentParser
import Bench
import ChangeDetection
import Devices
import JSONText
import Reporting
import RunArchive
import Workflows

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show the results of a plan over its nights: series, baselines, changes, trends.",
    discussion: """
      A night's value is the median of the runs of one UTC day. A change that is not confirmed yet shows how far it \
      is from an alarm (docs/NIGHTLY.md). If --rig matches several rigs, they are compared: how well they agree, and \
      which one is off (docs/GAUGE.md).

      EXAMPLES
        haprig history --rig bench-1 --plan nightly
        haprig history --rig '*' --plan nightly --days 14
        haprig history --rig 'coin-*' --reading 'latency.*' --html lab.html
        haprig history --rig bench-1 --reading 'latency.*' --days 90
        haprig history --rig bench-1 --plan nightly --html nightly.html
        haprig history --rig bench-1 --plan nightly --json
      """)

  @OptionGroup var archive: ArchiveOptions

  @Option(
    help: ArgumentHelp(
      "The rig: its name or file, or several, such as 'coin-*' (default: haprig.toml's, else all).",
      valueName: "glob"), completion: .yaml)
  var rig: String?

  @OptionGroup var nights: NightsOptions
  @OptionGroup var series: SeriesOptions

  @Option(
    help: "Write the history as one page that opens without a network to this file.",
    completion: .html)
  var html: String?

  @Flag(help: "Print the history as JSON (docs/NIGHTLY.md, docs/GAUGE.md).")
  var json = false

  func run() throws {
    let archive = try archive.open()
    Console.warn(archive.unreadable, "not indexed: ")
    let rigs = try RigPlans.rigs(in: archive, matching: Configured.rigName(rig))
    if rigs.count == 1 { return try show(rigs[0], archive) }
    let report = try LabReader(
      archive, rigs: rigs, plan: nights.planName, selection: series.selection
    ).report(days: nights.days ?? LabReader.standardDays, until: nights.last)
    guard !report.readings.isEmpty else {
      throw ExitStatus(
        .wrongInput,
        "no night of \(report.plan) from \(report.days.lowerBound) to "
          + "\(report.days.upperBound) has such a reading: ask for more --days, or leave out --reading, "
          + "--pattern or --actuator")
    }
    try HistoryOutput.write(LabPage(report).text, to: html)
    Console.out(json ? report.json.text() + "\n" : LabText.table(report, color: Console.hasColour))
  }

  private func show(_ rig: String, _ archive: Archive) throws {
    let selection = series.selection
    let question = try nights.question(of: rig, in: archive, page: html, selection: selection)
    let report = try HistoryReader(archive, question).report()
    guard !report.series.isEmpty || !selection.isNarrow else {
      throw ExitStatus(
        .wrongInput,
        "no series of \(question.plan) on \(question.rig) is so: leave out --reading, "
          + "--pattern or --actuator to see them all")
    }
    try HistoryOutput.write(HistoryPage(report).text, to: html)
    Console.out(
      json
        ? report.jsonText
        : HistoryText.table(
          report, color: Console.hasColour, archive: self.archive.archive))
  }
}

struct RegressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regress",
    abstract:
      "Report whether the results of a plan became worse, and what else changed at the same time.",
    discussion: """
      A change for the worse is an alarm if a second night or a re-run confirms it, nobody has accepted it, no later \
      change made it good, and the control did not change with it. (The control is a set of readings from something \
      that never changes; if they move, the rig itself changed.) Changes that begin together are one incident. A \
      night that is off is reported as suspected from the first night on. The limits of the plan are listed \
      separately, since a run that breaks one has failed already. docs/NIGHTLY.md says how reliable the detection \
      is.

      EXAMPLES
        haprig regress
        haprig regress --rig bench-1 --plan nightly
        haprig regress --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --rerun
        haprig regress --rig bench-1 --metrics /var/lib/node_exporter/haprig.prom

      EXIT CODES
        0 no confirmed incident for the worse    1 at least one
        2 wrong usage or input    3 the re-run met a device fault    130, 143 interrupted
      """)

  @OptionGroup var archive: ArchiveOptions

  @OptionGroup var rig: ArchivedRigOption
  @OptionGroup var nights: NightsOptions

  @Flag(
    help:
      "Run the plan once more if a change is suspected or rests on the newest night alone."
  )
  var rerun = false

  @OptionGroup(title: "OPTIONS OF THE RE-RUN") var playing: PlanRunOptions

  @Flag(help: "Print the history as JSON (docs/NIGHTLY.md).")
  var json = false

  @Option(
    help: "Write the history as one page that opens without a network to this file.",
    completion: .html)
  var html: String?

  @Option(help: "Write the result to this file, as OpenMetrics text.", completion: .prom)
  var metrics: String?

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    try Usage.require(
      !rerun || nights.until == nil, "--rerun weighs the newest night: leave out --until")
  }

  func run() async throws {
    let archive = try archive.open(isQuiet: quiet)
    Console.warn(archive.unreadable, "not indexed: ")
    let question = try nights.question(of: rig.name(in: archive), in: archive, page: html)
    let user = RigOperator.terminal(isQuiet: quiet, listens: rerun)
    let outcome = try await Regression.execute(
      question, in: archive.location,
      rerun: try rerunRequest(of: question, in: archive.location, by: user), by: user)
    let report = outcome.report
    try HistoryOutput.write(HistoryPage(report).text, to: html)
    try HistoryOutput.write(OpenMetricsReport.text(history: report), to: metrics)
    Console.out(
      json
        ? report.jsonText
        : HistoryText.summary(
          report, color: Console.hasColour, archive: self.archive.archive))
    if let fault = outcome.fault { throw fault }
    if report.outcome == .regression { throw ExitStatus.failed }
  }

  /// What a re-run would play, read before anything is decided: a file that is wrong is told at once.
  private func rerunRequest(
    of question: HistoryQuestion, in location: ArchiveLocation, by user: RigOperator
  ) throws -> RunRequest? {
    guard rerun else { return nil }
    let plan = try Configured.planFile(nights.plan ?? question.plan)
    let file = try rig.file(orNamed: question.rig)
    let order = try playing.order([plan], on: RigChoice(file: file), archive: location)
    return try RunRequest(order, by: user)
  }
}

struct NightlyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightly",
    abstract: """
      Do a rig's night: run a plan, compare it with the nights before, write a page, prune.
      """,
    discussion: """
      Does this in order: takes the rig's lock in the archive, runs the plan, looks for changes, runs the plan once \
      more if a change is suspected or rests on this night alone, writes the page, and prunes. docs/NIGHTLY.md has a \
      systemd timer for it, and an example for continuous integration.

      EXAMPLES
        haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --archive /srv/haprig
        haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --archive /srv/haprig \
      --keep-recordings 30 --metrics /var/lib/node_exporter/haprig.prom

      EXIT CODES
        0 the run passed and nothing became worse    1 the run failed, or something became worse
        2 wrong usage or input    3 a device fault    75 the rig is in use, or its night is already running
        130, 143 interrupted
      """)

  @OptionGroup var rig: RigOptions

  @Option(help: "The plan: its file, or its name (default: haprig.toml's).", completion: .yaml)
  var plan: String?

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "OPTIONS OF THE RUN") var playing: PlanRunOptions

  @Option(help: "How many days to look at, up to this night.")
  var days = HistoryQuestion.standardDays

  @Flag(
    inversion: .prefixedNo,
    help: "Run the plan once more if a change is suspected or rests on this night alone."
  )
  var rerun = true

  @Option(help: "Days for which recordings are kept (default: without end).")
  var keepRecordings: Int?

  @Option(help: "Days for which whole runs are kept (default: without end).")
  var keepRuns: Int?

  @Option(
    help: """
      Write the history as one page to this file (default: nightly-RIG-PLAN.html in the \
      archive).
      """,
    completion: .html)
  var html: String?

  @Option(
    help: "Write the run and the outcome as OpenMetrics text to this file.", completion: .prom)
  var metrics: String?

  @Flag(help: "Print the run and the history as one JSON object instead of tables.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    try Usage.require("--days", days, in: 1...36_500)
    try Usage.require(
      rig.stimulus == nil && rig.response == nil,
      "a night plays on a rig that is on line: leave out --stimulus and --response")
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    let location = try archive.location()
    let order = try playing.order(
      [Configured.planFile(plan)], on: rig.choice, archive: location)
    var night = NightlyWorkflow(try RunRequest(order, by: user), in: location, by: user)
    night.days = days
    night.hasRerun = rerun
    // What is not said is kept without end.
    if keepRecordings != nil || keepRuns != nil {
      night.retention = try Retention(recordings: keepRecordings, runs: keepRuns)
    }
    night.html = html
    var record: RunRecord?
    var told: [JSONMember] = []
    // Whatever ends the night early, what there is of it is told.
    defer { if json, !told.isEmpty { Console.out(.object(told)) } }
    let outcome = try await night.execute { part in
      if case .run(let run) = part { record = run.record }
      if json { told += try Self.members(of: part) } else { try show(part) }
      if case .history(let report, _) = part {
        let text = OpenMetricsReport.text(record: record, history: report)
        try HistoryOutput.write(text, to: metrics)
      }
    }
    if let fault = outcome.fault { throw fault }
    let hasFailed = [.fail, .notMeasured].contains(outcome.record.verdict)
    if hasFailed || outcome.report.outcome == .regression { throw ExitStatus.failed }
  }

  /// What a program is told of a part of the night.
  private static func members(of part: NightlyWorkflow.Part) throws -> [JSONMember] {
    switch part {
    case .run(let run):
      [
        JSONMember("run", RunJSON.value(of: run.record)),
        JSONMember("report", .string("\(run.folder)/report.html")),
      ]
    case .history(let report, let page):
      [
        JSONMember("sentences", .array(report.sentences.map(JSONValue.string))),
        JSONMember("history", report.json), JSONMember("page", .string(page)),
      ]
    case .pruned(let account): [JSONMember("freed", .integer(account.bytes))]
    }
  }

  private func show(_ part: NightlyWorkflow.Part) throws {
    switch part {
    case .run(let run):
      Console.out(TextReport.table(record: run.record, color: Console.hasColour))
      Console.out("report: \(run.folder)/report.html\n\n")
    case .history(let report, let page):
      Console.out(
        HistoryText.summary(report, color: Console.hasColour, archive: archive.archive))
      Console.out("history: \(page)\n")
    case .pruned(let account):
      Console.warn(account.problems)
      Console.out("pruned: \(Count.bytes(account.bytes)) freed\n")
    }
  }
}
