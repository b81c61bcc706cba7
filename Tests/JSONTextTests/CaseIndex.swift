// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// The index of the folder `Cases`: what reading each of its files must give.
enum CaseIndex {
  /// One line of the index.
  struct Row: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
      case value(text: [UInt8])
      case error(JSONError.Code, JSONPosition)
    }

    var file: String
    var mode: String
    var outcome: Outcome
    var noted: String

    var testDescription: String { "\(file), \(mode)" }

    /// The options that the line speaks of.
    var options: [JSONOptions] {
      switch mode {
      case "strict": [.strict]
      case "lenient": [.lenient]
      default: [.strict, .lenient]
      }
    }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases")

  static let rows: [Row] = {
    guard let index = try? Data(contentsOf: folder.appending(path: "EXPECTED.tsv")) else {
      return []
    }
    return index.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap(row)
  }()

  static func bytes(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: file)))
  }

  /// Splits a line as bytes: a `String` would join a tab with a combining character behind it.
  private static func row(_ line: Data) -> Row? {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    let texts = fields.map { String(decoding: $0, as: UTF8.self) }
    guard texts.count == 8 else { return nil }
    if texts[2] == "value" {
      return Row(
        file: texts[0], mode: texts[1], outcome: .value(text: Array(fields[3])), noted: texts[7])
    }
    guard let code = JSONError.Code(rawValue: texts[3]), let offset = Int(texts[4]),
      let line = Int(texts[5]), let column = Int(texts[6])
    else { return nil }
    let position = JSONPosition(offset: offset, line: line, column: column)
    return Row(
      file: texts[0], mode: texts[1], outcome: .error(code, position), noted: texts[7])
  }
}
