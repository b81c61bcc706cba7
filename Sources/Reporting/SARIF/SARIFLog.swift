public import AHAP
private import JSONText

/// The findings in pattern files as a SARIF 2.1.0 log, which code hosts and editors show in place.
///
/// Columns count Unicode code points and byte regions count from the start of the file. The same
/// findings give the same bytes.
public struct SARIFLog: Sendable {
  /// One file and what was found in it.
  public struct File: Sendable {
    /// The path as it was named.
    public var path: String
    /// What was found, by place.
    public var diagnostics: [Diagnostic]
    /// How some of it can be mended.
    public var fixes: [Fix]

    /// Makes a file.
    public init(path: String, diagnostics: [Diagnostic], fixes: [Fix] = []) {
      self.path = path
      self.diagnostics = diagnostics
      self.fixes = fixes
    }
  }

  /// The version of the program that found it.
  public var toolVersion: String
  /// The files in the order they were named.
  public var files: [File]

  /// Makes a log.
  public init(toolVersion: String, files: [File]) {
    self.toolVersion = toolVersion
    self.files = files
  }

  /// The log as JSON text with a final line feed.
  public var text: String {
    let rules = Set(files.flatMap { $0.diagnostics.map(\.code) })
      .sorted { $0.rawValue < $1.rawValue }
    let places = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1, $0) })
    let driver: JSONValue = [
      "name": "haprig", "version": .string(toolVersion), "rules": .array(rules.map(Self.rule)),
    ]
    let run: JSONValue = [
      "tool": ["driver": driver], "columnKind": "unicodeCodePoints",
      "artifacts": .array(files.map { ["location": Self.location(of: $0.path)] }),
      "results": .array(
        files.enumerated().flatMap { index, file in
          let fixes = Dictionary(grouping: file.fixes) { $0.position.offset }
          return file.diagnostics.map { finding in
            let own = fixes[finding.position.offset, default: []]
              .filter { $0.code == finding.code }
            return Self.result(
              finding, rule: places[finding.code] ?? 0, fixes: own, file: file, artifact: index)
          }
        }),
    ]
    let log: JSONValue = [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [run],
    ]
    return log.text(indent: 1) + "\n"
  }

  private static func rule(_ code: DiagnosticCode) -> JSONValue {
    [
      "id": .string(code.rawValue), "shortDescription": ["text": .string(code.title)],
      "fullDescription": ["text": .string(code.meaning)],
      "defaultConfiguration": ["level": .string(code.defaultSeverity.rawValue)],
    ]
  }

  private static func result(
    _ finding: Diagnostic, rule: Int, fixes: [Fix], file: File, artifact: Int
  ) -> JSONValue {
    let region: JSONValue = [
      "startLine": .integer(finding.position.line),
      "startColumn": .integer(finding.position.column),
    ]
    let place: JSONValue = ["uri": .string(uri(of: file.path)), "index": .integer(artifact)]
    let location: JSONValue = ["physicalLocation": ["artifactLocation": place, "region": region]]
    var members = [
      JSONMember("ruleId", .string(finding.code.rawValue)),
      JSONMember("ruleIndex", .integer(rule)),
      JSONMember("level", .string(finding.severity.rawValue)),
      JSONMember("message", ["text": .string(finding.message)]),
      JSONMember("locations", [location]),
    ]
    if !fixes.isEmpty {
      members.append(JSONMember("fixes", .array(fixes.map { Self.fix($0, file: file.path) })))
    }
    return .object(members)
  }

  private static func fix(_ fix: Fix, file: String) -> JSONValue {
    let replacements = fix.edits.map { edit -> JSONValue in
      [
        "deletedRegion": [
          "byteOffset": .integer(edit.range.lowerBound), "byteLength": .integer(edit.range.count),
        ],
        "insertedContent": ["text": .string(edit.replacement)],
      ]
    }
    let change: JSONValue = [
      "artifactLocation": location(of: file), "replacements": .array(replacements),
    ]
    return ["description": ["text": .string(fix.summary)], "artifactChanges": [change]]
  }

  private static func location(of path: String) -> JSONValue { ["uri": .string(uri(of: path))] }

  /// A path as a URI reference (RFC 3986): bytes that may not stand in one are written as `%XX`.
  private static func uri(of path: String) -> String {
    var text = path.hasPrefix("/") ? "file://" : ""
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      }
    }
    text += String(decoding: bytes, as: UTF8.self)
    return text
  }
}
