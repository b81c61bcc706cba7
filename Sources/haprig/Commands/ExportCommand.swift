import AHAP
import ArgumentParser
import Bench
import RunArchive

/// Writes a pattern for use elsewhere.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a pattern for use elsewhere: --apple, within the limits of Apple's devices.",
    discussion: """
      --apple writes curves of at most 16 points and ramps of at least 1 ms, splits continuous \
      events at 30 s, and limits values to their ranges; what is felt and heard stays. What was \
      changed is listed.

      EXAMPLE
        haprig export --apple long.ahap --out phone.ahap
      """)

  @Argument(help: "The pattern.", completion: .file(extensions: ["ahap"]))
  var file: String

  @Flag(name: .long, help: "Within the limits that are known to be safe on Apple's devices.")
  var apple = false

  @Option(name: .long, help: "The AHAP file to write.", completion: .file(extensions: ["ahap"]))
  var out: String

  @Flag(
    name: .long,
    help: "Cut events longer than 30 s off, as Core Haptics does, instead of splitting them.")
  var cutLongEvents = false

  func validate() throws {
    guard apple else { throw ValidationError("Say for what to export: --apple") }
  }

  func run() throws {
    try ExitStatus.of {
      let bytes = try RegularFile(path: file).bytes(limit: LintedFile.byteLimit)
      let document = try AHAPReader.read(
        bytes, fileName: file, options: AHAPOptions(limitsDurations: cutLongEvents))
      let export = AppleExport(document.pattern)
      for change in export.changes { Console.error("\(file): \(change)") }
      try AtomicFile.write(AHAPWriter.text(export.pattern), to: out)
      let count = export.changes.count
      Console.out("\(out): \(count) kind\(count == 1 ? "" : "s") of change\n")
    }
  }
}
