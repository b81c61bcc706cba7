// SPDX-License-Identifier: Apache-2.0

import Calibration
import Glibc
import Testing

/// The kinds of refusals are what the document tells of them.
@Suite struct RefusalTests {
  private static let document = String(
    #filePath.dropLast("Tests/CalibrationTests/RefusalTests.swift".count) + "docs/CALIBRATION.md")

  /// The first cells of the table of refusals.
  private static func documented() throws -> [String] {
    let file = try #require(fopen(document, "r"))
    defer { fclose(file) }
    var text: [UInt8] = []
    while case let byte = getc(file), byte != EOF { text.append(UInt8(byte)) }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let header = try #require(lines.firstIndex { $0.hasPrefix("| refusal |") })
    return lines[(header + 2)...].prefix { $0.hasPrefix("| `") }
      .map { String($0.dropFirst(3).prefix { $0 != "`" }) }
  }

  @Test func `the document has each kind once, in the same order`() throws {
    #expect(try Self.documented() == CalibrationRefusal.Code.allCases.map(\.rawValue))
  }

  @Test func `names are a subject and what is wrong with it`() {
    for code in CalibrationRefusal.Code.allCases where code != .disturbed {
      #expect(code.rawValue.split(separator: ".").count == 2, "\(code)")
    }
  }
}
