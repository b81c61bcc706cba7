import ArgumentParser
import ChangeDetection
import Reporting
import RunArchive
import Workflows

/// Accepts the level that nights have now.
struct BaselineAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept every change up to a night: this is how it should be.")

  @OptionGroup var archive: ArchiveOptions

  @Option(name: .long, help: "The rig, by its name in the archive.")
  var rig: String

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The night up to which changes are accepted (the rig's newest).", valueName: "day"))
  var until: String?

  @OptionGroup var decision: DecisionOptions

  func validate() throws {
    if let until, CalendarDay(until) == nil {
      throw ValidationError("--until takes a day such as 2026-11-21, not '\(until)'")
    }
  }

  func run() throws {
    let archive = try archive.open()
    let newest = try ExitStatus.of {
      _ = try RigPlans(archive, rig: rig)
      return try archive.runs(matching: RunFilter(rig: rig, limit: 1)).first?.day
    }
    guard let newest else { return }
    let day = until.flatMap { CalendarDay($0) } ?? newest
    guard day <= newest else {
      throw ExitStatus(
        ExitStatus.wrongInput,
        "haprig: --until \(day): the newest night of '\(rig.printable)' is \(newest), and what nobody "
          + "has seen cannot be accepted: leave --until out, or name a day up to it")
    }
    try decision.keep(.accepted, rig: rig, day: day, in: archive)
  }
}
