// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// RFC 8259 as files: what is JSON, what is not and where it fails, and what the RFC leaves open.
struct CaseTests {
  @Test(arguments: CaseIndex.rows)
  func `a file is read or refused as the index says`(row: CaseIndex.Row) throws {
    let bytes = try CaseIndex.bytes(row.file)
    for options in row.options {
      let result = Result { () throws(JSONError) in try JSONDocument(bytes, options: options) }
      switch (result, row.outcome) {
      case (.success(let document), .value(let text)):
        #expect(document.root.value.utf8(indent: nil) == text)
        #expect(notes(of: document) == row.noted)
      case (.failure(let error), .error(let code, let position)):
        #expect(error.code == code, "\(error)")
        #expect(error.position == position, "\(error)")
      case (.success(let document), .error(let code, _)):
        Issue.record("\(code) was expected; \(document.root.value.text(indent: nil)) was read")
      case (.failure(let error), .value): Issue.record("refused: \(error)")
      }
    }
  }

  private func notes(of document: JSONDocument) -> String {
    let notes =
      (document.hasByteOrderMark ? ["bom"] : [])
      + document.trailingCommaOffsets.map { "comma:\($0)" }
      + document.duplicateKeyOffsets.map { "duplicate:\($0)" }
    return notes.isEmpty ? "-" : notes.joined(separator: ";")
  }

  @Test func `the index lists each file of the folder and no other`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: CaseIndex.folder.path)
    let files = Set(names.filter { $0.hasSuffix(".json") })
    #expect(Set(CaseIndex.rows.map(\.file)) == files)
    #expect(files.count >= 150)
    let lines = try CaseIndex.bytes("EXPECTED.tsv").split(separator: UInt8(ascii: "\n"))
    #expect(CaseIndex.rows.count == lines.count - 1, "a line of the index cannot be read")
  }

  @Test func `the verdict of a file agrees with the letter of its name`() {
    for row in CaseIndex.rows where row.mode != "lenient" {
      switch row.outcome {
      case .value: #expect(!row.file.hasPrefix("n_"), "\(row.file)")
      case .error: #expect(!row.file.hasPrefix("y_"), "\(row.file)")
      }
    }
  }

  @Test func `all codes but that of the size are reached by the files`() {
    let reached = CaseIndex.rows.compactMap { row in
      if case .error(let code, _) = row.outcome { code } else { nil }
    }
    #expect(Set(reached) == Set(JSONError.Code.allCases).subtracting([.inputTooLarge]))
  }

  private static let python: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { URL(filePath: String($0)).appending(path: "python3") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  @Test(.enabled(if: python != nil, "there is no python3 to ask"))
  func `another parser agrees with the index`() async throws {
    let process = Process()
    process.executableURL = Self.python
    process.arguments = [CaseIndex.folder.appending(path: "check.py").path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
  }
}
