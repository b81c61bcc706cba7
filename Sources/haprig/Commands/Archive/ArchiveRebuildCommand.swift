import ArgumentParser
import Reporting
import RunArchive

/// Makes the index of an archive anew from its run folders.
struct ArchiveRebuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Make the index of an archive anew from its run folders.")

  @OptionGroup var archive: ArchiveOptions

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() throws {
    let location = try archive.location()
    let line = ProgressLine(isQuiet: quiet)
    let (update, notices) = try ExitStatus.of {
      defer { line.clear() }
      return try Archive.rebuild(location) { done, count in
        line.show("indexing \(done) of \(count)")
      }
    }
    for notice in notices { Console.error("haprig: \(notice)") }
    for problem in update.unreadable {
      Console.error("haprig: not indexed: \("\(problem)".printable)")
    }
    for run in update.removed {
      Console.out("forgotten \(run.printable): its folder is gone\n")
    }
    Console.out("\(location.description): \(Count.of(update.added, "run")) indexed\n")
  }
}
