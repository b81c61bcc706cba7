import Acceptance
import ArgumentParser
import Bench
import ChangeDetection
import Devices
import Reporting
import RunArchive
import Workflows

/// A rig's night from the run to the page, for a timer to start.
struct NightlyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightly",
    abstract: "Run a plan, hold it against the nights before, write a page, prune: a rig's night.",
    discussion: """
      One after the other: takes the rig's lock in the archive, runs the plan, looks for changes, runs the \
      plan once more where a change rests on this night alone, writes the page, and prunes. docs/NIGHTLY.md has a systemd \
      timer for it and an example for continuous integration.

      EXAMPLES
        haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --archive /srv/haprig
        haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --archive /srv/haprig \
      --keep-recordings 30 --metrics /var/lib/node_exporter/haprig.prom

      EXIT CODES
        0 the run passed and nothing changed for the worse    1 the run failed, or something did
        2 wrong usage or input    3 a device fault, or the rig's night is running already
        130, 143 interrupted
      """)

  @OptionGroup var rig: RigOptions

  @Option(name: .long, help: "The plan's file.", completion: .file(extensions: ["yaml"]))
  var plan: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "OPTIONS OF THE RUN") var playing: PlanRunOptions

  @Option(name: .long, help: "How many days up to this night are looked at.")
  var days = HistoryQuestion.standardDays

  @Flag(
    inversion: .prefixedNo,
    help: "Run the plan once more where a change rests on this night alone.")
  var rerun = true

  @Option(name: .long, help: "Days for which recordings are kept; for ever where not said.")
  var keepRecordings: Int?

  @Option(name: .long, help: "Days for which whole runs are kept; for ever where not said.")
  var keepRuns: Int?

  @Option(
    name: .long,
    help: "Write the history as one page to this file (nightly-RIG-PLAN.html in the archive).",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    name: .long, help: "Write the run and the outcome as OpenMetrics text to this file.",
    completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    guard (1...36_500).contains(days) else {
      throw ValidationError("--days takes 1 to 36500, not \(days)")
    }
    guard rig.stimulus == nil, rig.response == nil else {
      throw ValidationError(
        "a night plays on a rig that is on line: leave out --stimulus and --response")
    }
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    let outcome = try await ExitStatus.awaited {
      let location = try archive.location()
      let order = try playing.order(
        [plan], on: rig.choice, folder: location.folder, archive: location)
      var night = NightlyWorkflow(
        try RunRequest(order, by: user), in: location, by: user)
      night.days = days
      night.hasRerun = rerun
      night.retention = try retention()
      night.html = html
      var record: RunRecord?
      return try await night.execute { part in
        if case .run(let run) = part { record = run.record }
        try show(part, record)
      }
    }
    if let fault = outcome.fault { throw ExitStatus.status(of: fault) }
    let hasFailed = [.fail, .notMeasured].contains(outcome.record.verdict)
    if hasFailed || outcome.report.outcome == .regression { throw ExitStatus(ExitStatus.failed) }
  }

  /// Shows a part of the night as soon as it is done.
  private func show(_ part: NightlyWorkflow.Part, _ record: RunRecord?) throws {
    switch part {
    case .run(let run):
      Console.out(TextReport.table(record: run.record, color: Console.hasColour))
      Console.out("report: \(run.folder)/report.html\n\n")
    case .history(let report, let page):
      Console.out(HistoryText.summary(report, color: Console.hasColour))
      Console.out("history: \(page)\n")
      guard let metrics, let record else { return }
      try HistoryOutput.write(OpenMetricsReport.text(record: record, history: report), to: metrics)
    case .pruned(let account):
      for problem in account.problems { Console.error("haprig: \("\(problem)".printable)") }
      Console.out("pruned: \(Count.bytes(account.bytes)) freed\n")
    }
  }

  /// How long what is kept; `nil` for ever.
  private func retention() throws -> Retention? {
    guard keepRecordings != nil || keepRuns != nil else { return nil }
    return try Retention(recordings: keepRecordings, runs: keepRuns)
  }
}
