// SPDX-License-Identifier: Apache-2.0

package import AHAP
private import JSONText

/// The findings in pattern files as a SARIF 2.1.0 log, which code hosts and editors show in place.
///
/// Columns count Unicode code points and byte regions count from the start of the file.
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
    let results = files.enumerated().flatMap { index, file in
      let fixes = Dictionary(grouping: file.fixes) { $0.position.offset }
      return file.diagnostics.map { finding in
        let own = fixes[finding.position.offset, default: []].filter { $0.code == finding.code }
        return Self.result(
          finding, rule: places[finding.code] ?? 0, fixes: own, file: file, artifact: index)
      }
    }
    let run = JSONValue.object(of: [
      "tool": [
        "driver": .object(of: [
          "name": "haprig", "version": toolVersion, "rules": rules.map(Self.rule),
        ])
      ] as JSONValue,
      "columnKind": "unicodeCodePoints",
      "artifacts": files.map { ["location": Self.place(of: $0.path)] as JSONValue },
      "results": results,
    ])
    let log = JSONValue.object(of: [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [run],
    ])
    return log.text(indent: 1) + "\n"
  }

  private static func rule(_ code: DiagnosticCode) -> JSONValue {
    .object(of: [
      "id": code.rawValue, "shortDescription": text(code.title),
      "fullDescription": text(code.meaning),
      "defaultConfiguration": JSONValue.object(of: ["level": code.defaultSeverity.rawValue]),
    ])
  }

  private static func result(
    _ finding: Diagnostic, rule: Int, fixes: [Fix], file: File, artifact: Int
  ) -> JSONValue {
    let region = JSONValue.object(of: [
      "startLine": finding.position.line, "startColumn": finding.position.column,
    ])
    let location = JSONValue.object(of: [
      "artifactLocation": place(of: file.path, index: artifact), "region": region,
    ])
    return .object(of: [
      "ruleId": finding.code.rawValue, "ruleIndex": rule, "level": finding.severity.rawValue,
      "message": text(finding.message), "locations": [["physicalLocation": location] as JSONValue],
      "fixes": fixes.isEmpty ? nil : fixes.map { fix($0, file: file.path) },
    ])
  }

  private static func fix(_ fix: Fix, file: String) -> JSONValue {
    let replacements = fix.edits.map { edit in
      let region = JSONValue.object(of: [
        "byteOffset": edit.range.lowerBound, "byteLength": edit.range.count,
      ])
      return JSONValue.object(of: [
        "deletedRegion": region, "insertedContent": text(edit.replacement),
      ])
    }
    let change = JSONValue.object(of: [
      "artifactLocation": place(of: file), "replacements": replacements,
    ])
    return .object(of: ["description": text(fix.summary), "artifactChanges": [change]])
  }

  private static func text(_ text: String) -> JSONValue { ["text": .string(text)] }

  private static func place(of path: String, index: Int? = nil) -> JSONValue {
    .object(of: ["uri": (path.hasPrefix("/") ? "file://" : "") + URI.path(path), "index": index])
  }
}
