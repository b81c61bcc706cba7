import ArgumentParser
import Paths
import Reporting
import RunArchive
import Workflows

/// Where a history is written besides standard output.
struct HistoryOutput {
  /// A text of the history and the file that it goes to, whole or not at all.
  static func write(_ text: String, to file: String) throws {
    try ExitStatus.of {
      try Folder.make(FilePath.folder(of: file))
      try AtomicFile.write(text, to: file)
    }
  }

  /// Tells of runs that could not be read, a line each on standard error.
  static func warn(of archive: Archive) {
    for problem in archive.unreadable {
      Console.error("haprig: not indexed: \("\(problem)".printable)")
    }
  }
}
