import ArgumentParser
import ChangeDetection
import Paths
import Reporting
import RunArchive
import Workflows

struct ArchiveOptions: ParsableArguments {
  @Option(
    help: "The archive: a folder of runs, or postgres://USER@HOST/DATABASE.", completion: .directory
  )
  var archive = ArchiveLocation.standardFolder

  @Option(
    help: "The folder of the runs, where --archive is a server (default: reports).",
    completion: .directory)
  var reports: String?

  func location() throws -> ArchiveLocation {
    try ArchiveLocation(archive, reports: reports)
  }

  func open(isQuiet: Bool = false) throws -> Archive {
    let line = ProgressLine(isQuiet: isQuiet)
    defer { line.clear() }
    let archive = try Archive(opening: location()) { line.show("indexing \($0) of \($1)") }
    line.clear()
    for notice in archive.notices { Console.error("haprig: \(notice)") }
    return archive
  }
}

struct HistoryOptions: ParsableArguments {
  @OptionGroup var archive: ArchiveOptions

  @Option(help: "The rig, by its name in the archive.")
  var rig: String

  @Option(help: "The plan, by its name; the rig's only one where it has one.")
  var plan: String?

  @Option(help: "How many days up to the last one are looked at.")
  var days = HistoryQuestion.standardDays

  @Option(
    help: ArgumentHelp(
      "The last day, such as 2026-11-21; the newest night where none is given.", valueName: "day"))
  var until: String?

  func validate() throws {
    guard (1...36_500).contains(days) else {
      throw ValidationError("--days takes 1 to 36500, not \(days)")
    }
    if let until, CalendarDay(until) == nil {
      throw ValidationError("--until takes a day such as 2026-11-21, not '\(until)'")
    }
  }

  func question(
    of archive: Archive, page: String? = nil, selection: SeriesSelection? = nil
  ) throws -> HistoryQuestion {
    var question = HistoryQuestion(rig: rig, plan: try RigPlans(archive, rig: rig).plan(plan))
    question.days = days
    question.until = until.flatMap { CalendarDay($0) }
    question.pageFolder = page.map(FilePath.folder)
    question.selection = selection
    return question
  }
}

struct SeriesOptions: ParsableArguments {
  @Option(help: "Only series of this actuator, by its id.")
  var actuator: String?

  @Option(help: "Only series of this pattern; '' for those of the whole run.")
  var pattern: String?

  @Option(
    help: ArgumentHelp(
      "Only readings whose names match, such as 'latency.*' or 'control.*'.", valueName: "glob"))
  var reading: String?

  var selection: SeriesSelection {
    SeriesSelection(actuator: actuator, pattern: pattern, reading: reading)
  }
}

enum HistoryOutput {
  static func write(_ text: String, to file: String) throws {
    try Folder.make(FilePath.folder(of: file))
    try AtomicFile.write(text, to: file)
  }
}
