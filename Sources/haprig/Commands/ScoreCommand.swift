import Acceptance
import ArgumentParser
import Reporting

/// Measures the recordings of runs again.
struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Measure a run's recordings again, from its folder alone.",
    discussion: """
      A run's folder holds all that its numbers rest on: recordings, what the devices told, and copies of \
      rig, plan, profile, patterns and sounds. Without an option the new numbers are compared with those \
      of the record, and nothing is written.

      EXAMPLES
        haprig score reports/*                          the same, to the last byte?
        haprig score reports/20260101-120000-lra-demo --write
        haprig score reports/20260101-120000-lra-demo --out /tmp/scored

      EXIT CODES
        0 the same, or written and pass or marginal    1 something differs, or written and fail
        2 a file of the folder is missing, or is not what it was
      """)

  @Argument(help: "Run folders.", completion: .directory)
  var runs: [String]

  @Flag(
    name: .long,
    help: "Write record.json and what is made of it anew in the run's folder.")
  var write = false

  @Option(
    name: .shortAndLong, help: "Write them to this folder instead; of one run.",
    completion: .directory)
  var out: String?

  @Flag(name: .long, help: "Print the new record as JSON instead of the comparison.")
  var json = false

  func validate() throws {
    guard !runs.isEmpty else { throw ValidationError("Name a run's folder: reports/...") }
    if write, out != nil { throw ValidationError("--write and --out exclude each other") }
    if out != nil || json, runs.count > 1 {
      throw ValidationError("--out and --json take one run, not \(runs.count)")
    }
  }

  func run() throws {
    var hasFailed = false
    for folder in runs {
      let outcome = try ScoreWorkflow(folder: folder).execute()
      if json { Console.out(outcome.new.text) }
      guard write || out != nil else {
        if !outcome.isSame { hasFailed = true }
        if !json { compare(outcome) }
        continue
      }
      if let out { try outcome.write(to: out) } else { try outcome.write() }
      if !json {
        Console.out("\(out ?? outcome.folder)/record.json: \(outcome.new.verdict.rawValue)\n")
      }
      if outcome.new.verdict == .fail || outcome.new.verdict == .notMeasured { hasFailed = true }
    }
    if hasFailed { throw ExitStatus(ExitStatus.failed) }
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
