package import AHAP
private import JSONText

/// The findings in pattern files as a SARIF 2.1.0 log, which code hosts and editors show in place.
///
/// Columns count Unicode code points and byte regions count from the start of the file. The same
/// findings give the same bytes.
package struct SARIFLog: Sendable {
  package struct File: Sendable {
    let path: String
    let diagnostics: [Diagnostic]
    let fixes: [Fix]

    package init(path: String, diagnostics: [Diagnostic], fixes: [Fix] = []) {
      self.path = path
      self.diagnostics = diagnostics
      self.fixes = fixes
    }
  }

  let toolVersion: String
  let files: [File]

  package init(toolVersion: String, files: [File]) {
    self.toolVersion = toolVersion
    self.files = files
  }

  package var text: String {
    let rules = Set(files.flatMap { $0.diagnostics.map(\.code) })
      .sorted { $0.rawValue < $1.rawValue }
    let places = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1, $0) })
    let driver: JSONValue = [
      "name": "haprig", "version": .string(toolVersion), "rules": .array(rules.map(Self.rule)),
    ]
    let run: JSONValue = [
      "tool": ["driver": driver], "columnKind": "unicodeCodePoints",
      "artifacts": .array(files.map { ["location": ["uri": .string(Self.uri(of: $0.path))]] }),
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
    return .object(present: [
      "ruleId": .string(finding.code.rawValue), "ruleIndex": .integer(rule),
      "level": .string(finding.severity.rawValue), "message": ["text": .string(finding.message)],
      "locations": [location],
      "fixes": fixes.isEmpty ? nil : .array(fixes.map { fix($0, file: file.path) }),
    ])
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
    let location: JSONValue = ["uri": .string(uri(of: file))]
    let change: JSONValue = [
      "artifactLocation": location, "replacements": .array(replacements),
    ]
    return ["description": ["text": .string(fix.summary)], "artifactChanges": [change]]
  }

  private static func uri(of path: String) -> String {
    (path.hasPrefix("/") ? "file://" : "") + URI.path(path)
  }
}
