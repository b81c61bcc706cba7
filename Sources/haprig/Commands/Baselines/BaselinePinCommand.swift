import ArgumentParser
import ChangeDetection
import RunArchive

/// Makes what one run measured the level that nights are held against.
struct BaselinePinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Make what one run measured the baseline; the run is kept for ever.")

  @Argument(help: ArgumentHelp("The run, by the name of its folder.", valueName: "run"))
  var id: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var decision: DecisionOptions

  func run() throws {
    let archive = try archive.open()
    let run = try ExitStatus.of { try archive.run(id) }
    try decision.keep(.pinned(run: run.id), rig: run.rig, day: run.day, in: archive)
  }
}
