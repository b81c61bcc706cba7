import AHAP
import ArgumentParser
import Bench
import JSONText
import Reporting
import RunArchive

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

  @Argument(help: "Pattern files or folders of them.", completion: .ahap)
  var paths: [String]

  @Flag(help: "Whatever the reader would mend or leave out is an error.")
  var strict = false

  @Flag(help: "Also give advice on the design of what is felt.")
  var advice = false

  @Option(
    help: ArgumentHelp(
      "Mend the files: --fix for what cannot change what is felt, --fix=KINDS for more.",
      valueName: "kinds"))
  var fix: FixOption?

  @Flag(help: "With --fix: say what would be mended, write nothing.")
  var dryRun = false

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(help: "Print the findings as a SARIF 2.1.0 log.")
  var sarif = false

  func validate() throws {
    if json && sarif { throw ValidationError("--json and --sarif exclude each other") }
    if dryRun && fix == nil { throw ValidationError("--dry-run goes with --fix") }
  }

  func run() throws {
    var reports: [LintedFile] = []
    for entry in try PatternSet.expand(paths) {
      if let fix { try mend(entry.path, fix.kinds) }
      reports.append(LintedFile(path: entry.path, isStrict: strict, hasAdvice: advice))
    }
    show(reports)
    if reports.contains(where: { $0.unreadable != nil }) { throw ExitStatus(.wrongInput) }
    if reports.contains(where: \.hasError) { throw ExitStatus.failed }
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
      Console.out(["files": .array(reports.map(\.json))], sortedKeys: true)
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
    Console.out("\(Count.of(reports.count, "file")), \(Count.of(count, "finding"))\n")
  }
}

/// The kinds of mending that `--fix` names: `safe` always, the others by name.
struct FixOption: ExpressibleByArgument {
  let kinds: Set<FixKind>

  init?(argument: String) {
    var kinds: Set<FixKind> = [.safe]
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = FixKind(rawValue: String(word)) else { return nil }
      kinds.insert(kind)
    }
    self.kinds = kinds
  }

  static var allValueStrings: [String] { FixKind.allCases.map(\.rawValue) }

  /// Writes out what a bare `--fix` means, so that the word behind it stays a file.
  static func spelledOut(_ arguments: [String]) -> [String] {
    guard arguments.first == "lint" else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].map { $0 == "--fix" ? "--fix=safe" : $0 } + arguments[end...]
  }
}

struct LintedFile {
  static let byteLimit = 64 << 20

  let path: String
  let diagnostics: [Diagnostic]
  /// What the file holds as written, and its length in seconds; `nil` where it cannot be read.
  let contents: (entries: EntryCounts, duration: Double)?
  /// Why the file could not be read at all.
  let unreadable: String?
  private let bytes: [UInt8]

  init(path: String, isStrict: Bool, hasAdvice: Bool) {
    self.path = path
    var bytes: [UInt8] = []
    do {
      bytes = try RegularFile(path: path).bytes(limit: Self.byteLimit)
      let document = try AHAPReader.read(
        bytes, fileName: path, options: AHAPOptions(mode: isStrict ? .strict : .apple))
      diagnostics =
        hasAdvice
        ? Self.ordered(document.diagnostics + Advice.findings(for: document))
        : document.diagnostics
      contents = (document.entries, document.pattern.duration)
      unreadable = nil
    } catch let error as AHAPError {
      diagnostics = [error.diagnostic]
      contents = nil
      unreadable = error.description
    } catch {
      diagnostics = []
      contents = nil
      unreadable = "\(error)"
    }
    self.bytes = bytes
  }

  private static func ordered(_ findings: [Diagnostic]) -> [Diagnostic] {
    findings.enumerated().sorted {
      ($0.element.position.offset, $0.offset) < ($1.element.position.offset, $1.offset)
    }.map(\.element)
  }

  var hasError: Bool { diagnostics.contains { $0.severity == .error } }

  var lines: [String] {
    if let unreadable { return ["haprig: \(unreadable)"] }
    return diagnostics.map { $0.text(fileName: path, bytes: bytes) + "\n" }
  }

  /// What a code host reads: the findings, with the fixes that are known for them.
  var sarif: SARIFLog.File {
    let fixes = try? AHAPFixer.fixes(for: bytes, fileName: path, kinds: Set(FixKind.allCases))
    return SARIFLog.File(path: path, diagnostics: diagnostics, fixes: fixes ?? [])
  }

  var json: JSONValue {
    let entries = contents?.entries
    return .object(present: [
      "file": .string(path), "unreadable": unreadable.map(JSONValue.string),
      "events": (entries?.events).map(JSONValue.integer),
      "parameters": (entries?.parameters).map(JSONValue.integer),
      "curves": (entries?.curves).map(JSONValue.integer),
      "controlPoints": (entries?.controlPoints).map(JSONValue.integer),
      "duration": (contents?.duration).map(JSONValue.number),
      "diagnostics": .array(diagnostics.map(json)),
    ])
  }

  private func json(_ diagnostic: Diagnostic) -> JSONValue {
    .object(present: [
      "code": .string(diagnostic.code.rawValue),
      "severity": .string(diagnostic.severity.rawValue),
      "line": .integer(diagnostic.position.line), "column": .integer(diagnostic.position.column),
      "message": .string(diagnostic.message), "used": diagnostic.used.map(JSONValue.string),
      "fix": diagnostic.fix.map(JSONValue.string),
    ])
  }
}
