// SPDX-License-Identifier: Apache-2.0

import JSONText
import SeededRandom
import Testing

/// Lines and columns, and the source lines shown with them.
struct PositionTests {
  @Test func `columns count scalars and lines end at line feeds`() {
    let bytes = Array("aé\r\n𝄞b\n\nz".utf8)
    let expected = [
      (0, 1, 1), (1, 1, 2), (3, 1, 3), (4, 1, 4), (5, 2, 1), (9, 2, 2), (10, 2, 3), (11, 3, 1),
      (12, 4, 1), (13, 4, 2),
    ]
    for (offset, line, column) in expected {
      let position = JSONPosition(offset: offset, in: bytes)
      #expect(position == JSONPosition(offset: offset, line: line, column: column))
    }
  }

  @Test func `offsets outside the text move to its ends`() {
    let bytes = Array("ab\nc".utf8)
    #expect(
      JSONPosition(offset: -5, in: bytes) == JSONPosition(offset: 0, line: 1, column: 1))
    #expect(
      JSONPosition(offset: 99, in: bytes) == JSONPosition(offset: 4, line: 2, column: 2))
  }

  @Test(arguments: [11, 12, 13])
  func `a finder gives in any order what counting gives`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let alphabet: [Unicode.Scalar] = ["a", " ", "\n", "\r", "\u{B}", "é", "\u{8A}", "€", "𝄞"]
    var text = String.UnicodeScalarView()
    if Bool.random(using: &generator) { text.append("\u{FEFF}") }
    for _ in 0..<300 { text.append(alphabet.randomElement(using: &generator) ?? "a") }
    let bytes = Array(String(text).utf8)

    var places: [JSONPosition] = []
    var offset = 0
    var (line, column) = (1, 1)
    for (index, scalar) in text.enumerated() {
      places.append(JSONPosition(offset: offset, line: line, column: column))
      offset += UTF8.width(scalar)
      if scalar == "\n" {
        (line, column) = (line + 1, 1)
      } else if index > 0 || scalar != "\u{FEFF}" {
        column += 1
      }
    }
    for order in [places, places.reversed(), places.shuffled(using: &generator)] {
      var finder = JSONPositionFinder()
      for place in order {
        let found = finder.position(of: place.offset, in: bytes.span)
        #expect(found == place, "seed \(seed), offset \(place.offset)")
      }
    }
  }

  @Test func `a report points at the column below its line`() {
    let bytes = Array("{\n\t\"a\": tru,\r\n}".utf8)
    let report = SourceSnippet.report(
      bytes: bytes, fileName: "x.json", position: JSONPosition(offset: 8, in: bytes),
      sentence: "expected a value")
    #expect(
      report == """
        x.json:2:7: expected a value
             "a": tru,
                  ^
        """)
  }

  @Test func `a long line is cut around the place`() {
    let bytes = Array((String(repeating: "0123456789", count: 100) + "\n").utf8)
    let snippet = SourceSnippet(bytes: bytes, position: JSONPosition(offset: 507, in: bytes))
    #expect(snippet.line.hasPrefix("...") && snippet.line.hasSuffix("..."))
    #expect(snippet.line.count == 106)
    #expect(Array(snippet.line)[snippet.caret] == "7")
  }

  @Test func `an end of file after a line feed has no line to show`() {
    let bytes = Array("{\n".utf8)
    let report = SourceSnippet.report(
      bytes: bytes, fileName: "x", position: JSONPosition(offset: 2, in: bytes), sentence: "end")
    #expect(report == "x:2:1: end")
  }

  @Test func `bytes that are not UTF-8 are shown without harm`() {
    let bytes: [UInt8] = [0x22, 0xFF, 0x80, 0x1B, 0x22]
    let snippet = SourceSnippet(bytes: bytes, position: JSONPosition(offset: 1, in: bytes))
    #expect(snippet.line == "\"\u{FFFD}\u{FFFD} \"")
    #expect(snippet.caret == 1)
    let garbage = [UInt8](repeating: 0x80, count: 100_000)
    let place = JSONPosition(offset: 50_000, in: garbage)
    #expect(SourceSnippet(bytes: garbage, position: place).line.count < 1000)
  }
}
