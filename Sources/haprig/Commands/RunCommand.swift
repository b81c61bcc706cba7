// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ArgumentParser
import Bench
import Devices
private import Glibc
import HapticRendering
import JSONText
import Reporting
import RunArchive
import Units
import Workflows

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play patterns on a rig, measure what the actuator did, write a report.",
    discussion: """
      EXAMPLES
        haprig run rigs/patterns --rig rigs/simulated-lra.yaml
        haprig run tap.ahap swell.ahap --rig rigs/simulated-vcm.yaml --repeats 5
        haprig run rigs/plans/nightly.yaml --rig rigs/simulated-lra.yaml --json
        haprig run nightly --rig bench-1

      A plan says what is played and which limits apply: docs/FILE-FORMATS.md, "Plans".

      A run has three verdicts. Rig: did the measurement go well? Timing: did everything come in time? Feel: was it \
      as strong and as sharp as the pattern asks? Feel needs a profile (--profiles). Without one a run is marginal at \
      best.

      Without a connected rig (play the WAV file and record it yourself):
        haprig run tap.ahap --rig my-rig.yaml --stimulus out.wav
        (play out.wav on the rig and record in.wav)
        haprig run tap.ahap --rig my-rig.yaml --response in.wav
      """)

  @Argument(
    help: """
      Pattern files, folders of them, or one plan: its file, or its name (default: haprig.toml's \
      plan).
      """,
    completion: .file(extensions: ["ahap", "yaml"]))
  var paths: [String] = []

  @OptionGroup var rig: RigOptions
  @OptionGroup var options: PlanRunOptions

  @Option(help: "How many times to play each pattern, instead of the plan's number.")
  var repeats: Int?

  @OptionGroup var archive: ArchiveOptions

  @Option(
    help:
      "Write the run to this file, as OpenMetrics text for node_exporter's textfile collector.",
    completion: .prom)
  var metrics: String?

  @Flag(help: "Print the summary and the record as JSON instead of the table.")
  var json = false

  @OptionGroup var words: VerboseOption

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    try Usage.require("--repeats", repeats, in: 1...10_000)
  }

  func run() async throws {
    guard let outcome = try await outcome() else { return }
    Self.show(outcome.record, in: outcome.folder, asJSON: json, explaining: words.verbose)
    try Self.check(outcome)
  }

  /// Plays and measures; `nil` where a stimulus was written and nothing was measured.
  func outcome() async throws -> RunWorkflow.Outcome? {
    let user = RigOperator.terminal(isQuiet: quiet)
    var order = try options.order(
      Configured.played(paths), on: rig.choice, archive: archive.location())
    order.repeats = repeats
    let request = try RunRequest(order, by: user)
    guard rig.stimulus == nil || rig.response != nil else {
      let seconds = try StimulusWorkflow.execute(request, by: user)
      if json {
        Console.out(Self.stimulus(request.rig, seconds: seconds))
      } else if !quiet {
        Console.out(Self.advice(request.rig, seconds: seconds))
      }
      return nil
    }
    let outcome = try await RunWorkflow(request, by: user).execute()
    try HistoryOutput.write(OpenMetricsReport.text(record: outcome.record), to: metrics)
    return outcome
  }

  private static func stimulus(_ rig: RigDescription, seconds: Double) -> JSONValue {
    guard case .file(let files) = rig.drive.device else { return [:] }
    return .object(of: [
      "stimulus": files.stimulus, "channels": rig.drive.channelCount,
      "rate": rig.drive.rate.hertz, "seconds": seconds,
      "recordChannels": rig.capture.channels.count,
    ])
  }

  private static func advice(_ rig: RigDescription, seconds: Double) -> String {
    guard case .file(let files) = rig.drive.device, let path = files.stimulus else { return "" }
    return """
      stimulus: \(path), \(rig.drive.channelCount) channels at \(rig.drive.rate), \
      \(Int(seconds.rounded(.up))) s
      Start a recorder with \(rig.capture.channels.count) channels at \(rig.drive.rate), play the \
      stimulus, and give the recording to the same command with --response instead of --stimulus.

      """
  }

  /// Prints a run as every command that has one does.
  static func show(
    _ record: RunRecord, in folder: String, asJSON: Bool = false, explaining: Bool = false
  ) {
    if asJSON {
      Console.out(RunJSON.text(record: record))
    } else {
      Console.out(
        TextReport.table(record: record, color: Console.hasColour, explaining: explaining))
      Console.out("report: \(folder)/report.html\n")
    }
  }

  /// Ends the program with the status of a run that ended with a fault, failed, or shows nothing.
  static func check(_ outcome: RunWorkflow.Outcome) throws {
    if let fault = outcome.fault { throw fault }
    switch outcome.record.verdict {
    case .pass, .marginal: return
    case .fail, .notMeasured: throw ExitStatus.failed
    }
  }
}

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the supplied patterns on a simulated rig: the whole chain without hardware.",
    discussion: DemoNightsOptions.discussion)

  @Option(
    help: """
      The folder of the supplied rigs (default: 'rigs' here or in a folder above the program).
      """, completion: .directory)
  var rigs: String?

  @OptionGroup var archive: ArchiveOptions

  @Flag(help: "Play even if the same program has played the same demo before.")
  var again = false

  @OptionGroup var words: VerboseOption

  @OptionGroup var many: DemoNightsOptions

  @Flag(help: "Print the summary and the record as JSON instead of the table.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    guard let folder = try rigs ?? SuppliedRigs.folder() else { return }
    let user = RigOperator.terminal(isQuiet: quiet)
    if let nights = many.nights {
      return try await many.play(
        nights, rigs: folder, in: archive.archive, explaining: words.verbose, by: user)
    }
    let outcome = try await DemoRun(
      rigs: folder, in: archive.location(), program: Program.path, again: again, by: user
    ).execute()
    RunCommand.show(
      outcome.record, in: outcome.folder, asJSON: json, explaining: words.verbose)
    if !json { tellMore(of: outcome.folder) }
    try RunCommand.check(outcome)
  }

  /// Where the picture is, and how the workbench is opened.
  private func tellMore(of folder: String) {
    Console.out("its picture: \(folder)/\(HTMLReport.pictureFile)\n")
    var command = [CommandLine.arguments[0], "serve"]
    if let place = archive.archive { command += ["--archive", place] }
    if let reports = archive.reports { command += ["--reports", reports] }
    Console.out(
      "see it in a browser: \(Console.command(command))\n"
        + "  opens the workbench, and prints its address: http://127.0.0.1:8017/#key=...\n")
  }
}

struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play patterns on a rig, without measuring or writing anything.",
    discussion: """
      With --watch FILE the file is played, and played again whenever it is saved. If the saved file cannot be read, \
      the error is shown and the earlier version goes on. With --loop it repeats, and a saved change continues at \
      the same place in the pattern. Ctrl-C ends it.

      With --commands the rig is opened once and plays what comes on standard input as lines of JSON: patterns, \
      taps, and vibrations that follow a finger. Lines of JSON on standard output say what became of each. The drive \
      must be held as with --held. docs/AUTHORING.md describes the lines.

      With --held another program must hold the drive: it writes a '.' to standard input within 2 s, and then at \
      least every 500 ms. Before the first '.' nothing is driven. After 500 ms without a '.', at the end of the \
      input, or at any other byte, the drive goes to zero within 100 ms, and the exit code is 129.

      EXAMPLES
        haprig play rigs/patterns/swell.ahap --rig rigs/simulated-vcm.yaml
        haprig play --watch tap.ahap --loop --rig rigs/simulated-vcm.yaml
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .ahap)
  var paths: [String] = []

  @OptionGroup var rig: RigOptions
  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions
  @OptionGroup var stage: StageOptions

  @Flag(help: "Play only while a '.' comes on standard input at least every 500 ms.")
  var held = false

  @Flag(help: "Print what was played as JSON; with --watch a line for each event.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    try stage.check(paths, isHeld: held)
    try Usage.require(
      !json || !stage.commands, "--commands prints lines of JSON already: leave out --json")
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    if stage.isAsked {
      if held { HeldInput.watch(Interruption.signal) }
      return try stage.run(self, by: user)
    }
    if held { HeldInput.watch(Interruption.signal) }
    let description = try stage.focused(rig.choice)
    let (_, loaded) = try RunRequest.read(paths, rig: description, reading: patterns.reading)
    let builder = try calibration.builder(for: description, laws.requested, by: user)
    try builder.checkLimits(of: loaded)
    var played: [JSONValue] = []
    // Whatever ends it early, what was played until then is told.
    defer { if json { Console.out(["played": .array(played)]) } }
    try await PlayWorkflow(loaded, on: description, by: builder, for: user).execute {
      if json {
        played.append(.object(of: ["pattern": $0.name, "seconds": $1]))
      } else {
        Console.out("played \($0.name), \(($1 * 1000).rounded() / 1000) s\n")
      }
    }
  }
}

struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Score a run again from the recordings in its folder.",
    discussion: """
      A run's folder holds everything that its numbers depend on: recordings, the devices' reports, and copies of \
      rig, plan, profile, patterns and sounds. Without an option the command compares the new numbers with those of \
      the record, and writes nothing. If several folders are named, those that are not runs are skipped, and a run \
      that cannot be scored does not stop the others.

      --verbose first prints each run as it is scored now, as 'haprig run --verbose' does.

      EXAMPLES
        haprig score reports/*                          the same, to the last byte?
        haprig score reports/20260101-120000-lra-demo --write
        haprig score reports/20260101-120000-lra-demo --out /tmp/scored

      EXIT CODES
        0 the same; or written, and the verdict is pass or marginal    1 something differs; or written, and the verdict is fail
        2 a file is missing or was changed, or none of the folders is a run
      """)

  @Argument(help: "Run folders.", completion: .directory)
  var runs: [String]

  @Flag(help: "Write record.json, and the files made from it, again into the run's folder.")
  var write = false

  @Option(
    name: .shortAndLong, help: "Write them to this folder instead; for one run only.",
    completion: .directory)
  var out: String?

  @Flag(help: "Print the new record as JSON instead of the comparison.")
  var json = false

  @OptionGroup var words: VerboseOption

  func validate() throws {
    try Usage.require(!runs.isEmpty, "Name a run's folder: reports/...")
    try Usage.require(!write || out == nil, "--write and --out exclude each other")
    try Usage.require(
      out == nil && !json || runs.count <= 1, "--out and --json take one run, not \(runs.count)")
  }

  func run() throws {
    guard runs.count > 1 else {
      if try !score(runs[0]) { throw ExitStatus.failed }
      return
    }
    let folders = runs.filter(RunFolder.isRun)
    for folder in runs where !RunFolder.isRun(folder) {
      Console.error("haprig: \(folder.printable): passed over: this is no run's folder")
    }
    guard !folders.isEmpty else {
      throw ExitStatus(
        .wrongInput, "none of these is a run's folder")
    }
    var heaviest: Int32 = 0
    for folder in folders {
      do {
        if try !score(folder) { heaviest = max(heaviest, ExitStatus.failed.code) }
      } catch {
        guard let status = ExitStatus(of: error) else { throw error }
        if let message = status.message { Console.error(message) }
        heaviest = max(heaviest, status.code)
      }
    }
    if heaviest != 0 { throw ExitStatus(code: heaviest) }
  }

  private func score(_ folder: String) throws -> Bool {
    let outcome = try ScoreWorkflow.execute(folder: folder, by: .terminal(listens: false))
    if json {
      Console.out(outcome.new.text)
    } else if words.verbose {
      RunCommand.show(outcome.new, in: out ?? outcome.folder, explaining: true)
    }
    guard write || out != nil else {
      if !json { compare(outcome) }
      return outcome.isSame
    }
    if let out { try outcome.write(to: out) } else { try outcome.write() }
    if !json {
      let file = "\(out ?? outcome.folder)/\(RunFolder.recordFile)"
      Console.out("\(file): \(outcome.new.verdict.rawValue)\n")
    }
    return outcome.new.verdict != .fail && outcome.new.verdict != .notMeasured
  }

  private func compare(_ outcome: ScoreWorkflow.Outcome) {
    guard !outcome.isSame else {
      Console.out("\(outcome.folder): same\n")
      return
    }
    Console.out("\(outcome.folder): differs\n")
    for line in outcome.differences() { Console.out("  \(line)\n") }
  }
}
