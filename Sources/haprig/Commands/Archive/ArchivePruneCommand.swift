import ArgumentParser
import Reporting
import RunArchive
import Workflows

/// Removes what is old from an archive.
struct ArchivePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old recordings, and old runs.",
    discussion: """
      Recordings go first, whole runs last; a run that a baseline is pinned to stays whole. What a run has
      lost is said in its folder (pruned.json). What runs left behind that were killed goes after a day.

      EXAMPLES
        haprig archive prune --keep-recordings 30 --dry-run
        haprig archive prune --keep-recordings 30 --keep-runs 730
      """)

  @OptionGroup var archive: ArchiveOptions

  @Option(name: .long, help: "Days for which recordings are kept.")
  var keepRecordings: Int?

  @Option(name: .long, help: "Days for which whole runs are kept.")
  var keepRuns: Int?

  @Flag(name: .long, help: "Tell what would go, and remove nothing.")
  var dryRun = false

  func run() throws {
    let retention = try ExitStatus.of {
      try Retention(recordings: keepRecordings, runs: keepRuns)
    }
    let archive = try archive.open()
    let account = try ExitStatus.of {
      try archive.prune(retention, now: Moment(seconds: Host.secondsSince1970), isDry: dryRun)
    }
    for (what, items) in [
      ("recordings of", account.recordings), ("run", account.runs),
      ("left behind:", account.leftovers),
    ] {
      for item in items {
        Console.out(
          "\(what) \(item.name.printable): \(Count.of(item.files, "file")), "
            + "\(Count.bytes(item.bytes))\n")
      }
    }
    for run in account.pinned { Console.out("kept \(run.printable): a baseline is pinned to it\n") }
    for problem in account.problems { Console.error("haprig: \("\(problem)".printable)") }
    Console.out("\(dryRun ? "would free" : "freed") \(Count.bytes(account.bytes))\n")
    if !account.problems.isEmpty { throw ExitStatus(ExitStatus.failed) }
  }
}
