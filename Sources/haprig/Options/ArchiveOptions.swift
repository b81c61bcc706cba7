import ArgumentParser
import RunArchive

/// The archive that a command works on.
struct ArchiveOptions: ParsableArguments {
  @Option(
    name: .long, help: "The archive: a folder of runs, or postgres://USER@HOST/DATABASE.",
    completion: .directory)
  var archive = ArchiveLocation.standardFolder

  @Option(
    name: .long, help: "The folder of the runs, where --archive is a server (default: reports).",
    completion: .directory)
  var reports: String?

  /// Where the archive is.
  func location() throws -> ArchiveLocation {
    try ExitStatus.of { try ArchiveLocation(archive, reports: reports) }
  }

  /// Opens the archive, brings its index up to date, and says what was found wrong.
  func open(isQuiet: Bool = false) throws -> Archive {
    let location = try location()
    return try ExitStatus.of {
      let line = ProgressLine(isQuiet: isQuiet)
      defer { line.clear() }
      let archive = try Archive(opening: location) { done, count in
        line.show("indexing \(done) of \(count)")
      }
      line.clear()
      for notice in archive.notices { Console.error("haprig: \(notice)") }
      return archive
    }
  }
}
