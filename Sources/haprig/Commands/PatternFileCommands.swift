// SPDX-License-Identifier: Apache-2.0

import AHAP
import ArgumentParser
import Bench
import HapticClips
import HapticRendering
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
      --fix repairs files in place with the smallest edits, and only what cannot change the feel. Repairs that can \
      change it must be named. --fix=rebase turns control point times that count from the pattern's start into times \
      that count from the curve's start. case and names correct the spelling of IDs. clamp writes the limited values \
      that are used.

      Exits with 1 if a finding is an error, with 2 if a file cannot be read as AHAP at all.

      EXAMPLES
        haprig lint rigs/patterns
        haprig lint --strict --json tap.ahap
        haprig lint --fix=rebase,case old.ahap
        haprig lint --advice --sarif *.ahap > findings.sarif
        haprig lint --explain AHAP004
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

  @Option(help: "Explain the code of a finding, and how to repair it.")
  var explain: String?

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(help: "Print the findings as a SARIF 2.1.0 log.")
  var sarif = false

  func validate() throws {
    if json && sarif { throw ValidationError("--json and --sarif exclude each other") }
    if dryRun && fix == nil { throw ValidationError("--dry-run goes with --fix") }
    if paths.isEmpty == (explain == nil) {
      throw ValidationError("give pattern files, or --explain CODE")
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
    guard let code = DiagnosticCode(rawValue: text.uppercased()) else {
      let codes = DiagnosticCode.allCases.map(\.rawValue)
      throw ExitStatus(
        .wrongInput,
        "no finding has the code '\(text)'\(Nearest.hint(for: text, in: codes)): "
          + "docs/FILE-FORMATS.md lists all")
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
    let unread = reports.count - read.count
    Console.out(
      "\(Count.of(read.count, "file")), \(Count.of(findings, "finding"))"
        + (unread == 0 ? "" : "; \(Count.of(unread, "file")) could not be read") + "\n")
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
        ? Self.ordered(document.diagnostics + Advice.findings(for: document)) : document.diagnostics
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

  var sarif: SARIFLog.File {
    let fixes = try? AHAPFixer.fixes(for: bytes, fileName: path, kinds: Set(FixKind.allCases))
    return SARIFLog.File(path: path, diagnostics: diagnostics, fixes: fixes ?? [])
  }

  var json: JSONValue {
    let entries = contents?.entries
    return .object(of: [
      "file": path, "unreadable": unreadable, "events": entries?.events,
      "parameters": entries?.parameters, "curves": entries?.curves,
      "controlPoints": entries?.controlPoints, "duration": contents?.duration,
      "diagnostics": diagnostics.map(json),
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

struct FormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Rewrite pattern files in one canonical form, without losing any content.",
    discussion: """
      Changes files in place. Each file is rewritten completely or not at all. Files that already have the form are \
      not touched.

      EXAMPLES
        haprig format rigs/patterns
        haprig format --check *.ahap
        haprig format --stdout tap.ahap | less
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .ahap)
  var paths: [String]

  @Flag(help: "Change nothing; list the files that would change, and exit with 1.")
  var check = false

  @Flag(help: "Print the canonical form of a single file, and change nothing.")
  var stdout = false

  func validate() throws {
    if check && stdout { throw ValidationError("--check and --stdout exclude each other") }
  }

  func run() throws {
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
    if check, changed > 0 { throw ExitStatus.failed }
  }
}

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert AHAP to and from .haptic clips, and AHAP to WAV.",
    discussion: """
      The last name is the file to write; its extension says which format. Two AHAP files that are played together, \
      such as OLD.continuous.ahap and OLD.transients.ahap, become one clip. The command lists what the other format \
      cannot hold.

      EXAMPLES
        haprig convert tap.ahap tap.haptic
        haprig convert clip.haptic clip.ahap
        haprig convert clip.haptic clip.ahap --split
        haprig convert tap.ahap tap.wav
      """)

  @Argument(
    help: "The files to read, then the file to write.",
    completion: .file(extensions: ["ahap", "haptic", "wav"]))
  var files: [String]

  @Flag(help: "From .haptic: write NAME.continuous.ahap and NAME.transients.ahap.")
  var split = false

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions

  private enum Format: String {
    case ahap
    case haptic
    case wav

    init?(path: String) {
      guard let dot = path.lastIndex(of: ".") else { return nil }
      self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }
  }

  func validate() throws {
    try Usage.require(files.count >= 2, "Name a file to read and a file to write")
    for file in files where Format(path: file) == nil {
      throw ValidationError("\(file): the name must end in .ahap, .haptic or .wav")
    }
  }

  func run() throws {
    let (sources, target) = (Array(files.dropLast()), files[files.count - 1])
    switch (Set(sources.map { Format(path: $0) }), Format(path: target)) {
    case ([.ahap], .haptic): try writeClip(sources, target)
    case ([.haptic], .ahap) where sources.count == 1: try writePatterns(sources[0], target)
    case ([.ahap], .wav) where sources.count == 1:
      let configuration = laws.requested.configuration
      let pattern = try RenderCommand.pattern(sources[0], patterns, configuration)
      let outcome = try RenderWorkflow.write(
        pattern, configuration: configuration, to: target, by: .terminal(listens: false))
      Console.out(RenderCommand.summary(outcome, of: target, configuration.rate))
    default:
      throw InputError(
        "\(sources.joined(separator: ", ")) cannot become \(target): AHAP files become a clip, one "
          + "AHAP file a WAV file, one clip an AHAP file")
    }
  }

  private func writeClip(_ sources: [String], _ target: String) throws {
    let read = try sources.map { source in
      let bytes = try RegularFile(path: source).bytes(limit: LintedFile.byteLimit)
      return try AHAPReader.read(
        bytes, fileName: source, options: AHAPOptions(limitsDurations: false)
      ).pattern
    }
    let names = sources.joined(separator: ", ")
    let converted = try InputError.naming(names + ": ") { try ClipFromPatterns(read) }
    for change in converted.changes { Console.error("\(names): \(change)") }
    try AtomicFile.write(HapticClipWriter.text(converted.clip), to: target)
    Console.out("\(target)\n")
  }

  private func writePatterns(_ source: String, _ target: String) throws {
    let bytes = try RegularFile(path: source).bytes(limit: LintedFile.byteLimit)
    let clip = try HapticClipReader.read(bytes, fileName: source)
    let converted = PatternsFromClip(clip, split: split)
    for change in converted.changes { Console.error("\(source): \(change)") }
    for file in converted.files {
      let path =
        file.part == .whole ? target : String(target.dropLast("ahap".count)) + file.part.rawValue
      try AtomicFile.write(AHAPWriter.text(file.pattern), to: path)
      Console.out("\(path)\n")
    }
  }
}

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a pattern for Apple's devices, or a run's recordings for other programs.",
    discussion: """
      --apple writes curves of at most 16 points and ramps of at least 1 ms, splits continuous events at 30 s, and \
      limits values to their ranges. The pattern feels and sounds the same. The command lists what it changed.

      --format writes the recordings of a run: readings.csv, and a file for each take with the drive as sent and \
      everything that was captured. Formats: wav (float32), mat (MATLAB 4, also for Octave and SciPy: wavedata with \
      a row for each channel, and samplerate), uff58 (universal file format), csv (times in seconds from the \
      pattern's start).

      EXAMPLES
        haprig export --apple long.ahap --out phone.ahap
        haprig export --format mat reports/20260314-092653-lab-nightly --out lab
      """)

  @Argument(help: "The pattern, or the run's folder.", completion: .ahap)
  var file: String

  @Flag(help: "Export a pattern within the limits that are known to be safe on Apple's devices.")
  var apple = false

  @Option(help: "Export a run's recordings in this format: wav, mat, uff58 or csv.")
  var format: RunExport.Format?

  @Option(help: "The AHAP file to write, or the folder for a run's files.", completion: .ahap)
  var out: String

  @Flag(help: "Cut off events longer than 30 s, as Core Haptics does, instead of splitting them.")
  var cutLongEvents = false

  func validate() throws {
    try Usage.require(
      apple != (format != nil),
      "Say for what to export: --apple for a pattern, --format wav|mat|uff58|csv for a run")
  }

  func run() throws {
    if let format {
      let names = try RunExport(folder: file, out: out, format: format).write()
      return Console.out(names.map { "\(out)/\($0)\n" }.joined())
    }
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

extension RunExport.Format: ExpressibleByArgument {}
