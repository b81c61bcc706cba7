import ArgumentParser
import Reporting
import RunArchive

/// Takes a decision back.
struct BaselineWithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw",
    abstract: "Take a decision back: the one before it holds again, or none.")

  @Argument(help: "The decision's file, as 'haprig baseline list' names it.")
  var file: String

  @OptionGroup var archive: ArchiveOptions

  func run() throws {
    let archive = try archive.open()
    try ExitStatus.of { try archive.withdraw(decision: file) }
    Console.out("\(file.printable): withdrawn\n")
  }
}
