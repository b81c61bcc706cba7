import AHAP
import ArgumentParser
import Bench
import JSONText
import Reporting
import RunArchive

/// Reads patterns and says everything that is odd about them.
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Read patterns and report whatever a reader has to mend, leave out or guess.",
    discussion: """
      --fix mends files in place by the smallest edits, and only what cannot change what is felt. \
      What can is mended where it is named: --fix=rebase counts absolute control points from their \
      curve, case and names write IDs as they are known, clamp writes the values that are used.

      Exits with 1 where a finding is an error, with 2 where a file cannot be read as AHAP at all.

      EXAMPLES
        haprig lint rigs/patterns
        haprig lint --strict --json tap.ahap
        haprig lint --fix=rebase,case old.ahap
        haprig lint --advice --sarif *.ahap > findings.sarif
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .file(extensions: ["ahap"]))
  var paths: [String]

  @Flag(name: .long, help: "Whatever the reader would mend or leave out is an error.")
  var strict = false

  @Flag(name: .long, help: "Also give advice on the design of what is felt.")
  var advice = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Mend the files: --fix for what cannot change what is felt, --fix=KINDS for more.",
      valueName: "kinds"))
  var fix: FixOption?

  @Flag(name: .long, help: "With --fix: say what would be mended, write nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .long, help: "Print the findings as a SARIF 2.1.0 log.")
  var sarif = false

  func validate() throws {
    if json && sarif { throw ValidationError("--json and --sarif exclude each other") }
    if dryRun && fix == nil { throw ValidationError("--dry-run goes with --fix") }
  }

  func run() throws {
    let entries = try ExitStatus.of { try PatternSet.expand(paths) }
    var reports: [LintedFile] = []
    for entry in entries {
      if let fix { try ExitStatus.of { try mend(entry.path, fix.kinds) } }
      reports.append(LintedFile(path: entry.path, isStrict: strict, hasAdvice: advice))
    }
    show(reports)
    if reports.contains(where: { $0.unreadable != nil }) { throw ExitStatus(ExitStatus.wrongInput) }
    if reports.contains(where: \.hasError) { throw ExitStatus(ExitStatus.failed) }
  }

  /// Mends one file; one that cannot be mended is left as it is, and told.
  private func mend(_ path: String, _ kinds: Set<FixKind>) throws {
    let bytes = try RegularFile(path: path).bytes(limit: LintedFile.byteLimit)
    let mended: FixedText
    do throws(FixError) {
      mended = try AHAPFixer.fixed(bytes, fileName: path, kinds: kinds)
    } catch {
      return Console.error("haprig: not mended: \(error)")
    }
    guard !mended.applied.isEmpty else { return }
    if !dryRun { try AtomicFile.write(mended.bytes, to: path) }
    let verb = dryRun ? "would mend" : "mended"
    for fix in mended.applied {
      Console.error(
        "\(path):\(fix.position.line):\(fix.position.column): \(verb): \(fix.summary) "
          + "[\(fix.code.rawValue)]")
    }
  }

  private func show(_ reports: [LintedFile]) {
    if json {
      let list: JSONValue = ["files": .array(reports.map(\.json))]
      Console.out(list.text(indent: 1, sortedKeys: true) + "\n")
    } else if sarif {
      Console.out(SARIFLog(toolVersion: Version.text, files: reports.map(\.sarif)).text)
    }
    let isForPeople = !json && !sarif
    for report in reports where isForPeople || report.unreadable != nil {
      for line in report.lines {
        report.unreadable == nil ? Console.out(line) : Console.error(line)
      }
    }
    guard isForPeople else { return }
    let count = reports.reduce(0) { $0 + $1.diagnostics.count }
    Console.out(
      "\(reports.count) file\(reports.count == 1 ? "" : "s"), \(count) "
        + "finding\(count == 1 ? "" : "s")\n")
  }
}
