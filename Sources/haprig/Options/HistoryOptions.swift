// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ChangeDetection
import Paths
import Reporting
import RunArchive
import Units
import Workflows

/// What commands ask of the options that they were given.
enum Usage {
  static func require(_ holds: Bool, _ sentence: @autoclosure () -> String) throws {
    guard holds else { throw ValidationError(sentence()) }
  }

  /// Refuses a number outside a range; one that was not given is none.
  static func require<Number: Comparable>(
    _ option: String, _ value: Number?, in range: ClosedRange<Number>, _ unit: String = ""
  ) throws {
    guard let value, !range.contains(value) else { return }
    func text(_ bound: Number) -> String {
      (bound as? Double).map(EngineeringFormat.significant) ?? "\(bound)"
    }
    throw ValidationError(
      "\(option) takes \(text(range.lowerBound)) to \(text(range.upperBound))\(unit), not \(value)")
  }

  static func requireDay(_ option: String, _ text: String?) throws {
    guard let text, CalendarDay(text) == nil else { return }
    throw ValidationError("\(option) takes a day such as 2026-11-21, not '\(text)'")
  }
}

struct ArchiveOptions: ParsableArguments {
  @Option(
    help: """
      The archive: a folder of runs, or postgres://USER@HOST/DATABASE (default: haprig.toml's, \
      else reports).
      """,
    completion: .directory)
  var archive: String?

  @Option(
    help: """
      The folder with the runs, if the archive is a database server (default: haprig.toml's, \
      else reports).
      """,
    completion: .directory)
  var reports: String?

  func location() throws -> ArchiveLocation {
    try Configured.archive(archive, reports: reports)
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

/// The rig whose runs of the archive are meant.
struct ArchivedRigOption: ParsableArguments {
  @Option(
    name: .customLong("rig"),
    help: "The rig: its name or file (default: haprig.toml's, else the archive's only one).",
    completion: .yaml)
  var given: String?

  /// The name that its runs have in the archive.
  func name(in archive: Archive) throws -> String {
    try RigPlans.rig(Configured.rigName(given), in: archive)
  }

  /// The file of the rig that is asked for, else of the one with a name.
  func file(orNamed name: String) throws -> String {
    try Configured.rigFile(given, orNamed: name)
  }
}

struct NightsOptions: ParsableArguments {
  @Option(
    help: "The plan: its name or file (default: haprig.toml's, else the only plan of the rig).",
    completion: .yaml)
  var plan: String?

  @Option(
    help: ArgumentHelp(
      "How many days to look at, up to the last one (default: 365; for several rigs 14).",
      valueName: "days"
    ))
  var days: Int?

  @Option(
    help: ArgumentHelp(
      "The last day, such as 2026-11-21 (default: the newest night).", valueName: "day"))
  var until: String?

  func validate() throws {
    try Usage.require("--days", days, in: 1...36_500)
    try Usage.requireDay("--until", until)
  }

  var planName: String? {
    get throws { try Configured.planName(plan) }
  }

  var last: CalendarDay? { until.flatMap { CalendarDay($0) } }

  func question(
    of rig: String, in archive: Archive, page: String? = nil, selection: SeriesSelection? = nil
  ) throws -> HistoryQuestion {
    var question = HistoryQuestion(rig: rig, plan: try RigPlans(archive, rig: rig).plan(planName))
    question.days = days ?? HistoryQuestion.standardDays
    question.until = last
    question.pageFolder = page.map(FilePath.folder)
    question.selection = selection
    return question
  }
}

struct SeriesOptions: ParsableArguments {
  @Option(help: "Only series of this actuator, by its id.")
  var actuator: String?

  @Option(
    help: ArgumentHelp(
      "Only patterns whose names match, such as 'tap-*'; '' for readings of the whole run.",
      valueName: "glob"))
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
  /// Writes a text to a file, if there is one, in a folder that is made.
  static func write(_ text: @autoclosure () -> String, to file: String?) throws {
    guard let file else { return }
    try Folder.make(FilePath.folder(of: file))
    try AtomicFile.write(text(), to: file)
  }
}
