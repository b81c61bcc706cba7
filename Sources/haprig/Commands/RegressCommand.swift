import ArgumentParser
import Reporting
import RunArchive
import Workflows

/// Tells whether the nights of a plan changed for the worse.
struct RegressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regress",
    abstract:
      "Tell whether the nights of a plan changed for the worse, and what changed with them.",
    discussion: """
      A change is an alarm when it is for the worse, confirmed by a second night or a re-run, accepted by \
      nobody, made good by nothing, and the A/A control did not move with it. Limits of the plan are listed \
      apart: a run that breaks one has failed already. How sure the detector is: docs/NIGHTLY.md.

      EXAMPLES
        haprig regress --rig bench-1 --plan nightly
        haprig regress --rig bench-1 --rerun --rig-file rigs/bench-1.yaml --plan-file plans/nightly.yaml
        haprig regress --rig bench-1 --metrics /var/lib/node_exporter/haprig.prom

      EXIT CODES
        0 no confirmed change for the worse    1 at least one
        2 wrong usage or input    3 the re-run met a device fault    130, 143 interrupted
      """)

  @OptionGroup var options: HistoryOptions

  @Flag(
    name: .long,
    help: "Where a change rests on the newest night alone, run the plan again and weigh it.")
  var rerun = false

  @Option(
    name: .long, help: "The rig's description, for --rerun.",
    completion: .file(extensions: ["yaml"]))
  var rigFile: String?

  @Option(
    name: .long, help: "The plan's file, for --rerun.", completion: .file(extensions: ["yaml"]))
  var planFile: String?

  @OptionGroup(title: "OPTIONS OF THE RE-RUN") var playing: PlanRunOptions

  @Flag(name: .long, help: "Print the history as JSON (docs/NIGHTLY.md).")
  var json = false

  @Option(
    name: .long, help: "Write the history as one page that opens without a network to this file.",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    name: .long, help: "Write the outcome as OpenMetrics text to this file.",
    completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    guard rerun else {
      guard rigFile == nil, planFile == nil else {
        throw ValidationError("--rig-file and --plan-file go with --rerun")
      }
      return
    }
    guard rigFile != nil, planFile != nil else {
      throw ValidationError(
        "--rerun plays the plan again: name its files with --rig-file and --plan-file")
    }
    guard options.until == nil else {
      throw ValidationError("--rerun weighs the newest night: leave out --until")
    }
  }

  func run() async throws {
    let archive = try options.archive.open(isQuiet: quiet)
    HistoryOutput.warn(of: archive)
    let question = try options.question(of: archive, page: html)
    let user = RigOperator.terminal(isQuiet: quiet, listens: rerun)
    let outcome = try await ExitStatus.awaited {
      let rerun = try rerunRequest(of: question, in: archive.location, by: user)
      return try await Regression.execute(
        question, in: archive.location, rerun: rerun, by: user)
    }
    if let html { try HistoryOutput.write(HistoryPage(outcome.report).text, to: html) }
    if let metrics {
      try HistoryOutput.write(OpenMetricsReport.text(history: outcome.report), to: metrics)
    }
    Console.out(
      json
        ? outcome.report.jsonText
        : HistoryText.summary(outcome.report, color: Console.hasColour))
    if let fault = outcome.fault { throw ExitStatus.status(of: fault) }
    if outcome.report.outcome == .regression { throw ExitStatus(ExitStatus.failed) }
  }

  /// What a re-run would play, read before anything is decided: a file that is wrong is told at once.
  private func rerunRequest(
    of question: HistoryQuestion, in location: ArchiveLocation, by user: RigOperator
  ) throws -> RunRequest? {
    guard rerun, let rigFile, let planFile else { return nil }
    let order = try playing.order(
      [planFile], on: RigChoice(file: rigFile), folder: location.folder, archive: location)
    let request = try RunRequest(order, by: user)
    try Regression.check(request, against: question, files: (rigFile, planFile))
    return request
  }
}
