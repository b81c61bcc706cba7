import Acceptance
import ArgumentParser
import Devices
import Reporting
import RunArchive
import Units
import Workflows

/// Plays patterns or a plan on a rig and scores what it did.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play patterns on a rig, measure what it did, write a report.",
    discussion: """
      EXAMPLES
        haprig run rigs/patterns --rig rigs/simulated-lra.yaml
        haprig run tap.ahap swell.ahap --rig rigs/simulated-vcm.yaml --repeats 5
        haprig run rigs/plans/nightly.yaml --rig rigs/simulated-lra.yaml --json

      A plan says what is played and what must hold: docs/FILE-FORMATS.md, "Plans".

      A run has three verdicts: Rig (did the measurement go well), Timing (when), Feel (how it feels). Feel \
      needs a profile (--profile); without one a run is marginal at best.

      A rig that is not on line:
        haprig run tap.ahap --rig my-rig.yaml --stimulus out.wav
        (play out.wav on the rig and record in.wav)
        haprig run tap.ahap --rig my-rig.yaml --response in.wav
      """)

  @Argument(
    help: "Pattern files, folders of them, or one plan (*.yaml).",
    completion: .file(extensions: ["ahap", "yaml"]))
  var paths: [String]

  @OptionGroup var rig: RigOptions
  @OptionGroup var options: PlanRunOptions

  @Option(name: .long, help: "Play each pattern this often, whatever the plan says.")
  var repeats: Int?

  @Option(
    name: .long,
    help: "The folder that run folders are made in (default: --archive's, or reports).",
    completion: .directory)
  var out: String?

  @Option(
    name: .long,
    help: "The archive whose index takes the run: a folder, or postgres://USER@HOST/DATABASE.")
  var archive: String?

  @Option(
    name: .long,
    help:
      "Write the run as OpenMetrics text to this file, as node_exporter's textfile collector reads.",
    completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(name: .long, help: "Print the summary and the record as JSON instead of the table.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    if let repeats, !(1...10_000).contains(repeats) {
      throw ValidationError("--repeats takes 1 to 10000, not \(repeats)")
    }
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    let outcome: RunWorkflow.Outcome? = try await ExitStatus.awaited {
      let location = try archive.map { try place(of: $0) }
      var order = try options.order(
        paths, on: rig.choice,
        folder: out ?? location?.folder ?? ArchiveLocation.standardFolder, archive: location)
      order.repeats = repeats
      let request = try RunRequest(order, by: user)
      guard rig.stimulus != nil, rig.response == nil else {
        return try await RunWorkflow(request, by: user).execute()
      }
      let seconds = try StimulusWorkflow.execute(request, by: user)
      if !quiet { Console.out(Self.advice(request.rig, seconds: seconds)) }
      return nil
    }
    guard let outcome else { return }
    if let metrics {
      try HistoryOutput.write(OpenMetricsReport.text(record: outcome.record), to: metrics)
    }
    try RunOutput(isJSON: json).show(outcome)
  }

  /// What to do with a stimulus that was written.
  private static func advice(_ rig: RigDescription, seconds: Double) -> String {
    guard case .file(let files) = rig.drive.device, let path = files.stimulus else { return "" }
    return """
      stimulus: \(path), \(rig.drive.channelCount) channels at \(rig.drive.rate), \
      \(Int(seconds.rounded(.up))) s
      Start a recorder with \(rig.capture.channels.count) channels at \(rig.drive.rate), play the \
      stimulus, and give the recording to the same command with --response instead of --stimulus.

      """
  }

  /// An archive in a folder has its runs there; of one on a server they lie in the folder of `--out`.
  private func place(of archive: String) throws(ArchiveError) -> ArchiveLocation {
    do {
      return try ArchiveLocation(archive, reports: out)
    } catch {
      throw ArchiveError(
        path: error.path,
        message: out == nil || archive.hasPrefix("postgres")
          ? error.message
          : "an archive in a folder has its runs there: leave out --out, or give it the same folder"
      )
    }
  }
}

/// Showing what came of a run, and ending with its exit code.
struct RunOutput {
  let isJSON: Bool

  /// Prints the table or the record and where the report lies.
  func show(_ outcome: RunWorkflow.Outcome) throws {
    if isJSON {
      Console.out(RunJSON.text(record: outcome.record))
    } else {
      Console.out(TextReport.table(record: outcome.record, color: Console.hasColour))
      Console.out("report: \(outcome.folder)/report.html\n")
    }
    if let fault = outcome.fault { throw ExitStatus.status(of: fault) }
    switch outcome.record.verdict {
    case .pass, .marginal: return
    case .fail, .notMeasured: throw ExitStatus(ExitStatus.failed)
    }
  }
}
