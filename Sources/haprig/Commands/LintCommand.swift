import AHAP
import ArgumentParser
import Bench
import JSONText

/// Reads patterns and says everything that is odd about them.
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Read patterns and report whatever a reader has to mend, leave out or guess.",
    discussion: """
      Exits with 1 where a finding is an error, with 2 where a file cannot be read as AHAP at all.

      EXAMPLES
        haprig lint rigs/patterns
        haprig lint --strict --json tap.ahap
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .file(extensions: ["ahap"]))
  var paths: [String]

  @Flag(name: .long, help: "Whatever the reader would mend or leave out is an error.")
  var strict = false

  @Flag(name: .long, help: "Print the findings as JSON.")
  var json = false

  func run() throws {
    var reports: [LintedFile] = []
    for entry in try ExitStatus.of({ try PatternSet.expand(paths) }) {
      reports.append(LintedFile(path: entry.path, isStrict: strict))
    }
    if json {
      let list: JSONValue = ["files": .array(reports.map(\.json))]
      Console.out(list.text(indent: 1, sortedKeys: true) + "\n")
    }
    for report in reports where !json || report.unreadable != nil {
      for line in report.lines {
        report.unreadable == nil ? Console.out(line) : Console.error(line)
      }
    }
    if !json {
      let count = reports.reduce(0) { $0 + $1.diagnostics.count }
      Console.out(
        "\(reports.count) file\(reports.count == 1 ? "" : "s"), \(count) "
          + "finding\(count == 1 ? "" : "s")\n")
    }
    if reports.contains(where: { $0.unreadable != nil }) { throw ExitStatus(ExitStatus.wrongInput) }
    if reports.contains(where: \.hasError) { throw ExitStatus(ExitStatus.failed) }
  }
}

/// One file and what was found in it.
struct LintedFile {
  let path: String
  let diagnostics: [Diagnostic]
  let pattern: HapticPattern?
  /// Why the file could not be read at all.
  let unreadable: String?
  private let bytes: [UInt8]

  init(path: String, isStrict: Bool) {
    self.path = path
    var bytes: [UInt8] = []
    do {
      bytes = try RegularFile(path: path).bytes(limit: 64 << 20)
      let document = try AHAPReader.read(
        bytes, fileName: path, options: AHAPOptions(mode: isStrict ? .strict : .apple))
      diagnostics = document.diagnostics
      pattern = document.pattern
      unreadable = nil
    } catch let error as AHAPError {
      diagnostics = [error.diagnostic]
      pattern = nil
      unreadable = error.description
    } catch {
      diagnostics = []
      pattern = nil
      unreadable = "\(error)"
    }
    self.bytes = bytes
  }

  var hasError: Bool { diagnostics.contains { $0.severity == .error } }

  /// What a person reads.
  var lines: [String] {
    if let unreadable { return ["haprig: \(unreadable)"] }
    return diagnostics.map { $0.text(fileName: path, bytes: bytes) + "\n" }
  }

  /// What a program reads.
  var json: JSONValue {
    guard let pattern else {
      return [
        "file": .string(path), "unreadable": .string(unreadable ?? ""),
        "diagnostics": .array(diagnostics.map(json)),
      ]
    }
    return [
      "file": .string(path), "events": .integer(pattern.events.count),
      "parameters": .integer(pattern.parameters.count),
      "curves": .integer(pattern.curves.count),
      "controlPoints": .integer(pattern.curves.reduce(0) { $0 + $1.points.count }),
      "duration": .number(pattern.duration),
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
