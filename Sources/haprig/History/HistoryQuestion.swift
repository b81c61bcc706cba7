import ArgumentParser
import ChangeDetection
private import Glibc
import RunArchive

/// Which nights are looked at.
struct HistoryQuestion {
  /// How many days, where nothing else is said.
  static let standardDays = 365

  /// The rig's name.
  var rig: String
  /// The plan's name.
  var plan: String
  /// How many days up to the last.
  var days = Self.standardDays
  /// The last day; the newest night where it is `nil`.
  var until: CalendarDay?
  /// The folder of the page that links to runs; `nil` for no links.
  var pageFolder: String?
  /// Which series are shown, all where it is `nil`; the control's are looked at all the same.
  var selection: SeriesSelection?

  /// Whether a series is shown.
  func isShown(_ key: SeriesKey) -> Bool { selection?.contains(key) ?? true }
}

/// Which series are shown; what is `nil` does not narrow it.
struct SeriesSelection: ParsableArguments {
  @Option(name: .long, help: "Only series of this actuator, by its id.")
  var actuator: String?

  @Option(name: .long, help: "Only series of this pattern; '' for those of the whole run.")
  var pattern: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Only readings whose names match, such as 'latency.*' or 'control.*'.", valueName: "glob"))
  var reading: String?

  /// Whether a series is one of them.
  func contains(_ key: SeriesKey) -> Bool {
    (actuator ?? key.actuator) == key.actuator && (pattern ?? key.pattern) == key.pattern
      && (reading.map { fnmatch($0, key.reading, 0) == 0 } ?? true)
  }

  /// Whether it leaves anything out.
  var isNarrow: Bool { actuator != nil || pattern != nil || reading != nil }
}

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
    try ExitStatus.of {
      let plan = try RigPlans(archive, rig: rig).plan(plan)
      return HistoryQuestion(
        rig: rig, plan: plan, days: days, until: until.flatMap { CalendarDay($0) },
        pageFolder: page.map(PageLink.folder), selection: selection)
    }
  }
}

/// The plans that an archive has runs of, on one rig.
struct RigPlans {
  private let rig: String
  let plans: [String]

  /// Asks the archive; a rig that it does not have is refused with those that it has.
  init(_ archive: Archive, rig: String) throws(ArchiveError) {
    let latest = try archive.latestRuns()
    let rigs = Set(latest.map(\.rig)).sorted()
    guard !rigs.isEmpty else {
      throw ArchiveError(
        path: archive.location.description,
        message: "the archive holds no run: haprig run --out makes the first")
    }
    guard rigs.contains(rig) else {
      throw ArchiveError(
        path: archive.location.description,
        message:
          "the archive has no run of the rig '\(rig)'; it has runs of \(Self.list(rigs))")
    }
    self.rig = rig
    plans = latest.filter { $0.rig == rig }.map(\.plan)
  }

  /// The plan of this name, or the only one.
  func plan(_ name: String?) throws(ArchiveError) -> String {
    guard let name else {
      guard plans.count == 1 else {
        throw ArchiveError(
          path: "--plan", message: "the rig '\(rig)' has runs of \(Self.list(plans)): name one")
      }
      return plans[0]
    }
    guard plans.contains(name) else {
      throw ArchiveError(
        path: "--plan",
        message: "the rig '\(rig)' has no run of the plan '\(name)', but of \(Self.list(plans))")
    }
    return name
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(12).joined(separator: ", ")
      + (names.count > 12 ? " and \(names.count - 12) more" : "")
  }
}
