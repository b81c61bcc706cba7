import ArgumentParser
import ChangeDetection
import JSONText
import Reporting
import RunArchive

/// Lists what people decided about levels.
struct BaselineListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the decisions, in the order in which they were given.")

  @OptionGroup var archive: ArchiveOptions

  @Option(name: .long, help: "Only decisions about this rig.")
  var rig: String?

  @Flag(name: .long, help: "Print the decisions as JSON, each with the name of its file.")
  var json = false

  func run() throws {
    let archive = try archive.open()
    let decisions = try ExitStatus.of { try archive.decisions() }
      .filter { (rig ?? $0.kept.decision.scope.rig) == $0.kept.decision.scope.rig }
    guard !json else {
      let list = decisions.map { file, kept in
        JSONValue.object([JSONMember("file", .string(file))] + (kept.json.members ?? []))
      }
      Console.out(JSONValue.array(list).text(indent: 1, sortedKeys: true) + "\n")
      return
    }
    guard !decisions.isEmpty else {
      Console.error("haprig: \(archive.location.description): nobody has decided on a baseline yet")
      return
    }
    for (file, kept) in decisions {
      let decision = kept.decision
      Console.out(
        "\(file.printable)\n  \(decision.summary)\n"
          + "  \(decision.who.printable), \(decision.when): \(decision.why.printable)\n")
    }
  }
}
