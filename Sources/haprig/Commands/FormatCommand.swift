import AHAP
import ArgumentParser
import Bench
import RunArchive

/// Writes pattern files in their canonical form.
struct FormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Write pattern files in one canonical form; nothing that they hold is lost.",
    discussion: """
      Files are changed in place, each whole or not at all; those in the form already are not \
      touched.

      EXAMPLES
        haprig format rigs/patterns
        haprig format --check *.ahap
        haprig format --stdout tap.ahap | less
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .file(extensions: ["ahap"]))
  var paths: [String]

  @Flag(name: .long, help: "Change nothing; list the files that would change, and exit with 1.")
  var check = false

  @Flag(name: .long, help: "Print the one file's form and change nothing.")
  var stdout = false

  func validate() throws {
    if check && stdout { throw ValidationError("--check and --stdout exclude each other") }
  }

  func run() throws {
    try ExitStatus.of {
      let entries = try PatternSet.expand(paths)
      if stdout, entries.count != 1 {
        throw InputError("--stdout prints one file, not \(entries.count): name one")
      }
      var changed = 0
      for entry in entries {
        let bytes = try RegularFile(path: entry.path).bytes(limit: LintedFile.byteLimit)
        let text = try AHAPFormatter.text(of: bytes, fileName: entry.path)
        if stdout {
          Console.out(text)
        } else if Array(text.utf8) != bytes {
          changed += 1
          if !check { try AtomicFile.write(text, to: entry.path) }
          Console.out("\(entry.path): \(check ? "not in canonical form" : "formatted")\n")
        }
      }
      if check, changed > 0 { throw ExitStatus(ExitStatus.failed) }
    }
  }
}
