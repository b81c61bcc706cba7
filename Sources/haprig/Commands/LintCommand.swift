// SPDX-License-Identifier: Apache-2.0

import AHAP
import ArgumentParser
import Bench
import JSONText
import Reporting
import RigFiles
import RunArchive
import Workflows

struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Check patterns: report everything that a reader has to repair, leave out or guess.",
    discussion: """
      --fix repairs files in place with the smallest edits, and only what cannot change the feel. This includes a \
      misspelled name without which nothing would play. Repairs that can change the feel must be named. --fix=rebase \
      turns control point times that count from the pattern's start into times that count from the curve's start. case \
      and names correct the spelling of parameter IDs and of optional keys. clamp writes the limited values that are \
      used.

      Exits with 1 if a finding is an error, with 2 if a file cannot be read as AHAP at all.

      EXAMPLES
        haprig lint rigs/patterns
        haprig lint --strict --json tap.ahap
        haprig lint --fix=rebase,case old.ahap
        haprig lint --advice --sarif *.ahap > findings.sarif
        haprig lint --explain AHAP004
        haprig lint --explain
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .ahap)
  var paths: [String] = []

  @Flag(help: "Treat everything that the reader would repair or leave out as an error.")
  var strict = false

  @Flag(help: "Also give advice on haptic design.")
  var advice = false

  @Option(
    help: ArgumentHelp(
      "Repair the files: --fix for what cannot change the feel, --fix=KINDS for more.",
      valueName: "kinds"))
  var fix: FixOption?

  @Flag(help: "With --fix: show what would be repaired, and write nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Explain the code of a finding, and how to repair it; without a code, list all.",
      valueName: "code"))
  var explain: String?

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(help: "Print the findings as a SARIF 2.1.0 log.")
  var sarif = false

  func validate() throws {
    if json && sarif { throw ValidationError("--json and --sarif exclude each other") }
    if dryRun && fix == nil { throw ValidationError("--dry-run goes with --fix") }
    if paths.isEmpty == (explain == nil) {
      throw ValidationError("give pattern files, or --explain with a code or alone")
    }
  }

  func run() throws {
    if let explain { return Console.out(try Self.explanation(of: explain)) }
    var reports: [LintedFile] = []
    for entry in try PatternSet.expand(paths) {
      if let fix { try mend(entry.path, fix.kinds) }
      reports.append(LintedFile(path: entry.path, isStrict: strict, hasAdvice: advice))
    }
    show(reports)
    if reports.contains(where: { $0.unreadable != nil }) { throw ExitStatus(.wrongInput) }
    if reports.contains(where: \.hasError) { throw ExitStatus.failed }
  }

  private static func explanation(of text: String) throws -> String {
    guard text != LintArguments.allCodes else { return codes() }
    guard let code = DiagnosticCode(rawValue: text.uppercased()) else {
      let codes = DiagnosticCode.allCases.map(\.rawValue)
      throw ExitStatus(
        .wrongInput,
        "no finding has the code '\(text)'\(Nearest.hint(for: text, in: codes)): "
          + "'haprig lint --explain' lists all")
    }
    let severity =
      code.isAdvice
      ? "advice, given with --advice"
      : "\(code.defaultSeverity.rawValue), with --strict \(code.strictSeverity.rawValue)"
    let fixes = code.fixKinds.map { $0 == .safe ? "--fix" : "--fix=\($0.rawValue)" }
    var lines = ["\(code.rawValue)  \(code.title)", code.meaning, "severity: \(severity)"]
    if !fixes.isEmpty { lines.append("mended by: haprig lint \(fixes.joined(separator: " or "))") }
    if let number = code.appleError { lines.append("Apple's Core Haptics: error \(number)") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A line for each code.
  private static func codes() -> String {
    let severities = DiagnosticCode.allCases.map {
      $0.isAdvice ? "advice" : $0.defaultSeverity.rawValue
    }
    let width = severities.map(\.count).max() ?? 0
    return zip(DiagnosticCode.allCases, severities).map { code, severity in
      "\(code.rawValue)  \(severity.padded(to: width))  \(code.title)\n"
    }.joined()
  }

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
    let read = reports.filter { $0.unreadable == nil }
    let findings = read.reduce(0) { $0 + $1.diagnostics.count }
    let unread = Count.of(reports.count - read.count, "file") + " could not be read"
    let linted = "\(Count.of(read.count, "file")), \(Count.of(findings, "finding"))"
    Console.out(
      (read.isEmpty
        ? "\(unread): nothing was checked"
        : read.count == reports.count ? linted : "\(linted); \(unread)") + "\n")
    let omitted = read.reduce(0) { $0 + $1.omitted }
    if omitted > 0 { Console.out("\(omitted) more like these are not shown\n") }
    let kinds = reports.reduce(into: Set<FixKind>()) { $0.formUnion($1.kindsOfFixes) }
    if let advice = FixOption.advice(kinds) { Console.out("\(advice)\n") }
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

  /// What to type for fixes of some kinds; nil where there are none.
  static func advice(_ kinds: Set<FixKind>) -> String? {
    guard !kinds.isEmpty else { return nil }
    let named = FixKind.allCases.filter { $0 != .safe && kinds.contains($0) }.map(\.rawValue)
    let option = named.isEmpty ? "--fix" : "--fix=\(named.joined(separator: ","))"
    return "\(option) repairs what it can of this"
  }
}

/// Arguments of `haprig lint` whose value may be left out.
enum LintArguments {
  /// What `--explain` explains without a code.
  static let allCodes = "all"

  /// Writes out what a bare `--fix` means, so that the word behind it stays a file, and a bare `--explain`.
  static func spelledOut(_ arguments: [String]) -> [String] {
    guard arguments.first == "lint" else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].indices.map { place in
      let next = place + 1 < end ? arguments[place + 1] : "-"
      return switch arguments[place] {
      case "--fix": "--fix=safe"
      case "--explain" where next.hasPrefix("-"): "--explain=\(allCodes)"
      case let argument: argument
      }
    } + arguments[end...]
  }
}

struct LintedFile {
  static let byteLimit = 64 << 20

  let path: String
  let diagnostics: [Diagnostic]
  /// What the file holds as written, and its length in seconds; `nil` where it cannot be read.
  let contents: (entries: EntryCounts, duration: Double)?
  let unreadable: String?
  /// How many findings there were too many of a code to be told.
  let omitted: Int
  private let bytes: [UInt8]

  /// So many findings of one code are told of a file.
  private static let findingsPerCode = 100

  init(path: String, isStrict: Bool, hasAdvice: Bool) {
    self.path = path
    var bytes: [UInt8] = []
    do {
      bytes = try RegularFile(path: path).bytes(limit: Self.byteLimit)
      // Read strictly in both modes: Apple's reader would stop at the first error.
      let document = try AHAPReader.read(
        bytes, fileName: path,
        options: AHAPOptions(mode: .strict, diagnosticsPerCode: Self.findingsPerCode)
      ).judged(in: isStrict ? .strict : .apple)
      diagnostics =
        hasAdvice
        ? Self.ordered(document.diagnostics + Advice.findings(for: document)) : document.diagnostics
      contents = (document.entries, document.pattern.duration)
      omitted = document.omittedDiagnostics
      unreadable = nil
    } catch let error as AHAPError {
      diagnostics = [error.diagnostic]
      contents = nil
      omitted = 0
      unreadable = error.description
    } catch {
      diagnostics = []
      contents = nil
      omitted = 0
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

  var sarif: SARIFLog.File {
    SARIFLog.File(path: path, diagnostics: diagnostics, fixes: fixes)
  }

  /// The kinds of the fixes that there are for the findings.
  var kindsOfFixes: Set<FixKind> {
    guard diagnostics.contains(where: { !$0.code.fixKinds.isEmpty }) else { return [] }
    return Set(fixes.map(\.kind))
  }

  private var fixes: [Fix] {
    (try? AHAPFixer.fixes(for: bytes, fileName: path, kinds: Set(FixKind.allCases))) ?? []
  }

  var json: JSONValue {
    let entries = contents?.entries
    return .object(of: [
      "file": path, "unreadable": unreadable, "events": entries?.events,
      "parameters": entries?.parameters, "curves": entries?.curves,
      "controlPoints": entries?.controlPoints, "duration": contents?.duration,
      "diagnostics": diagnostics.map(json), "omitted": omitted > 0 ? omitted : nil,
    ])
  }

  private func json(_ diagnostic: Diagnostic) -> JSONValue {
    .object(of: [
      "code": diagnostic.code.rawValue, "severity": diagnostic.severity.rawValue,
      "line": diagnostic.position.line, "column": diagnostic.position.column,
      "message": diagnostic.message, "used": diagnostic.used, "fix": diagnostic.fix,
    ])
  }
}
