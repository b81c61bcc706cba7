import ArgumentParser
import ChangeDetection
import Paths
import RunArchive
import Workflows

/// The rig, the plan and the days that a command of the history works on.
struct HistoryOptions: ParsableArguments {
  @OptionGroup var archive: ArchiveOptions

  @Option(name: .long, help: "The rig, by its name in the archive.")
  var rig: String

  @Option(name: .long, help: "The plan, by its name; the rig's only one where it has one.")
  var plan: String?

  @Option(name: .long, help: "How many days up to the last one are looked at.")
  var days = HistoryQuestion.standardDays

  @Option(
    name: .long,
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

  /// The question, about a rig and a plan that the archive knows.
  func question(
    of archive: Archive, page: String? = nil, selection: SeriesSelection? = nil
  ) throws -> HistoryQuestion {
    let name = try ExitStatus.of { try RigPlans(archive, rig: rig).plan(plan) }
    var question = HistoryQuestion(rig: rig, plan: name)
    question.days = days
    question.until = until.flatMap { CalendarDay($0) }
    question.pageFolder = page.map(FilePath.folder)
    question.selection = selection
    return question
  }
}

/// Which series are shown.
struct SeriesOptions: ParsableArguments {
  @Option(name: .long, help: "Only series of this actuator, by its id.")
  var actuator: String?

  @Option(name: .long, help: "Only series of this pattern; '' for those of the whole run.")
  var pattern: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only readings whose names match, such as 'latency.*' or 'control.*'.", valueName: "glob"))
  var reading: String?

  /// What is asked for.
  var selection: SeriesSelection {
    SeriesSelection(actuator: actuator, pattern: pattern, reading: reading)
  }
}
