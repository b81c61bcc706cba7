// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import SeededRandom
import Testing

@testable import Authoring

struct OffsetTests {
  @Test(arguments: [1 as UInt64, 2, 3, 4])
  func `bytes and units agree with Swift's own counting`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let alphabet = ["a", "\n", "é", "ß", "漢", "🫀", "👩‍🚀", "\u{FEFF}", "\r\n", "\u{301}"]
    let letters = (0..<5_000).map { _ in
      random.chance(0.7) ? "x" : alphabet[random.integer(0...alphabet.count - 1)]
    }
    let text = letters.joined()
    let offsets = UTF16Offsets(Array(text.utf8))
    #expect(offsets.count == text.utf16.count)
    var (bytes, units) = (0, 0)
    for scalar in text.unicodeScalars {
      #expect(offsets.utf16(of: bytes) == units, "\(random)")
      #expect(offsets.byte(of: units) == bytes, "\(random)")
      if UTF16.width(scalar) == 2 { #expect(offsets.byte(of: units + 1) == nil, "\(random)") }
      bytes += UTF8.width(scalar)
      units += UTF16.width(scalar)
    }
    #expect(offsets.byte(of: units) == bytes)
    #expect(offsets.utf16(of: bytes) == units)
    #expect(offsets.byte(of: units + 1) == nil)
    #expect(offsets.byte(of: -1) == nil)
  }

  @Test func `of ASCII each byte is a unit`() {
    let offsets = UTF16Offsets(Array("abc".utf8))
    #expect(offsets.utf16(of: 2) == 2)
    #expect(offsets.byte(of: 3) == 3)
    #expect(offsets.byte(of: 4) == nil)
    #expect(UTF16Offsets([]).byte(of: 0) == 0)
  }

  @Test(arguments: [
    (0.30000000000000004, "0.3"), (0.1 + 0.7, "0.8"), (1, "1"), (0, "0"), (-0.0, "0"),
    (-0.5, "-0.5"), (1e-5, "0.00001"), (-1.25e-4, "-0.000125"), (3e-9, "0.000000003"), (1e-12, "0"),
    (123.456789, "123.456789"),
    (0.422601, "0.422601"), (86400, "86400"), (2.5e7, "25000000"), (0.9999999999, "1"),
  ])
  func `numbers are written short, without rests of sums`(number: Double, text: String) {
    #expect(number.written == text)
    #expect(Double(text) == number.kept)
  }

  @Test func `the kept number is what its text reads as`() {
    var random = SeededRandom(seed: 9)
    for _ in 0..<20_000 {
      let number = random.uniform(-1...1) * [9e5, 1, 1e-4][random.integer(0...2)]
      #expect(Double(number.written) == number.kept, "\(random): \(number)")
      #expect(!number.written.contains("e"), "\(random): \(number)")
      #expect(abs(number.kept - number) <= 0.5e-9 + number.ulp, "\(random): \(number)")
    }
  }

  @Test func `replacements that do not fit a text are refused`() {
    let bytes = Array("aé🫀z".utf8)
    func fault(_ edits: [TextEdit]) -> TextEditFault? {
      do throws(TextEditFault) {
        _ = try TextEdits(edits, on: bytes)
        return nil
      } catch {
        return error
      }
    }
    #expect(fault([TextEdit(range: 0..<1, replacement: "b")]) == nil)
    #expect(
      fault([TextEdit(range: 0..<9, replacement: "")])?.message
        == "it reaches to byte 9 of a text of 8 bytes")
    #expect(
      fault([TextEdit(range: 0..<1, replacement: ""), TextEdit(range: 2..<3, replacement: "")])
        == TextEditFault(edit: 1, message: "byte 2 lies within a character"))
    #expect(
      fault([TextEdit(range: 1..<7, replacement: ""), TextEdit(range: 0..<3, replacement: "")])
        == TextEditFault(edit: 0, message: "it overlaps another replacement"))
  }
}
