import Acceptance
import ArgumentParser
import Devices
import Reporting
import RunArchive
import Workflows

struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Measure a run's recordings again, from its folder alone.",
    discussion: """
      A run's folder holds all that its numbers rest on: recordings, what the devices told, and copies of \
      rig, plan, profile, patterns and sounds. Without an option the new numbers are compared with those \
      of the record, and nothing is written. Where several are named, what is no run's folder is passed \
      over, and a run that cannot be scored does not stop the others.

      EXAMPLES
        haprig score reports/*                          the same, to the last byte?
        haprig score reports/20260101-120000-lra-demo --write
        haprig score reports/20260101-120000-lra-demo --out /tmp/scored

      EXIT CODES
        0 the same, or written and pass or marginal    1 something differs, or written and fail
        2 a file of a folder is missing, or is not what it was; no folder is a run's
      """)

  @Argument(help: "Run folders.", completion: .directory)
  var runs: [String]

  @Flag(help: "Write record.json and what is made of it anew in the run's folder.")
  var write = false

  @Option(
    name: .shortAndLong, help: "Write them to this folder instead; of one run.",
    completion: .directory)
  var out: String?

  @Flag(help: "Print the new record as JSON instead of the comparison.")
  var json = false

  func validate() throws {
    guard !runs.isEmpty else { throw ValidationError("Name a run's folder: reports/...") }
    if write, out != nil { throw ValidationError("--write and --out exclude each other") }
    if out != nil || json, runs.count > 1 {
      throw ValidationError("--out and --json take one run, not \(runs.count)")
    }
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

  /// Scores one run and tells what came of it; `false` where it differs or fails.
  private func score(_ folder: String) throws -> Bool {
    let outcome = try ScoreWorkflow.execute(folder: folder, by: .terminal(listens: false))
    if json { Console.out(outcome.new.text) }
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
