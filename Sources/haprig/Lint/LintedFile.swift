import AHAP
import Bench
import JSONText
import Reporting

/// One file and what was found in it.
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

  /// What a person reads.
  var lines: [String] {
    if let unreadable { return ["haprig: \(unreadable)"] }
    return diagnostics.map { $0.text(fileName: path, bytes: bytes) + "\n" }
  }

  /// What a code host reads: the findings, with the fixes that are known for them.
  var sarif: SARIFLog.File {
    let fixes = try? AHAPFixer.fixes(for: bytes, fileName: path, kinds: Set(FixKind.allCases))
    return SARIFLog.File(path: path, diagnostics: diagnostics, fixes: fixes ?? [])
  }

  /// What a program reads.
  var json: JSONValue {
    guard let (entries, duration) = contents else {
      return [
        "file": .string(path), "unreadable": .string(unreadable ?? ""),
        "diagnostics": .array(diagnostics.map(json)),
      ]
    }
    return [
      "file": .string(path), "events": .integer(entries.events),
      "parameters": .integer(entries.parameters), "curves": .integer(entries.curves),
      "controlPoints": .integer(entries.controlPoints), "duration": .number(duration),
      "diagnostics": .array(diagnostics.map(json)),
    ]
  }

  private func json(_ diagnostic: Diagnostic) -> JSONValue {
    var fields = [
      JSONMember("code", .string(diagnostic.code.rawValue)),
      JSONMember("severity", .string(diagnostic.severity.rawValue)),
      JSONMember("line", .integer(diagnostic.position.line)),
      JSONMember("column", .integer(diagnostic.position.column)),
      JSONMember("message", .string(diagnostic.message)),
    ]
    if let used = diagnostic.used { fields.append(JSONMember("used", .string(used))) }
    if let fix = diagnostic.fix { fields.append(JSONMember("fix", .string(fix))) }
    return .object(fields)
  }
}
