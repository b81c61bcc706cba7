// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

/// What RFC 8259 accepts and refuses.
struct GrammarTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "0.1", "1e5", "1E5", "1e+5", "1e-5",
    "-1.25e-3", "0e0", "0.0e999999", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u0000\"", "\"\\uD834\\uDD1E\"", "\"\\uFFFF\"", "\"\u{7F}\"", "\"\u{10FFFF}\"",
    "\"\u{2028}\"",
    "[]", "[ ]", "[1]", "[1,2]", "[[],[[]]]", "{}", "{ }", "{\"\":0}", "{\"a\":{\"b\":[]}}",
    " \t\r\n1\t ", "[1,\n2]", "{\"a\":1,\"a\":2}", "\u{FEFF}[]",
  ])
  func `valid JSON is accepted`(text: String) throws {
    _ = try JSONDocument(Array(text.utf8))
  }

  static let refused: [(text: String, code: JSONError.Code, line: Int, column: Int)] = [
    ("", .emptyInput, 1, 1),
    (" \n ", .emptyInput, 2, 2),
    ("\u{FEFF}", .emptyInput, 1, 1),
    ("[", .unexpectedEnd, 1, 2),
    ("{", .unexpectedEnd, 1, 2),
    ("[1", .unexpectedEnd, 1, 3),
    ("[1,", .unexpectedEnd, 1, 4),
    ("{\"a\"", .unexpectedEnd, 1, 5),
    ("{\"a\":", .unexpectedEnd, 1, 6),
    ("{\"a\":1,", .unexpectedEnd, 1, 8),
    ("]", .unexpectedCharacter, 1, 1),
    ("[1}", .unexpectedCharacter, 1, 3),
    ("{\"a\":1]", .unexpectedCharacter, 1, 7),
    ("[1 2]", .unexpectedCharacter, 1, 4),
    ("[,]", .unexpectedCharacter, 1, 2),
    ("[1,,2]", .unexpectedCharacter, 1, 4),
    ("{,}", .unexpectedCharacter, 1, 2),
    ("{\"a\" 1}", .unexpectedCharacter, 1, 6),
    ("{\"a\"::1}", .unexpectedCharacter, 1, 6),
    ("{a:1}", .unexpectedCharacter, 1, 2),
    ("{1:1}", .unexpectedCharacter, 1, 2),
    ("{'a':1}", .unexpectedCharacter, 1, 2),
    ("['a']", .unexpectedCharacter, 1, 2),
    ("tru", .unexpectedCharacter, 1, 1),
    ("truex", .unexpectedCharacter, 1, 1),
    ("True", .unexpectedCharacter, 1, 1),
    ("nul", .unexpectedCharacter, 1, 1),
    ("undefined", .unexpectedCharacter, 1, 1),
    ("\u{201C}a\u{201D}", .unexpectedCharacter, 1, 1),
    ("\u{0}", .unexpectedCharacter, 1, 1),
    ("[1]\u{0}", .textAfterEnd, 1, 4),
    ("1 2", .textAfterEnd, 1, 3),
    ("{}\n\n x", .textAfterEnd, 3, 2),
    ("[]]", .textAfterEnd, 1, 3),
    ("[1,]", .trailingComma, 1, 3),
    ("{\"a\":1,\n}", .trailingComma, 1, 7),
    ("// x\n1", .comment, 1, 1),
    ("[1, /* x */ 2]", .comment, 1, 5),
    ("# x\n1", .comment, 1, 1),
    ("1 // x", .comment, 1, 3),
    ("01", .badNumber, 1, 1),
    ("-01", .badNumber, 1, 1),
    ("[-]", .badNumber, 1, 2),
    ("1.", .badNumber, 1, 1),
    (".5", .badNumber, 1, 1),
    ("+1", .badNumber, 1, 1),
    ("1e", .badNumber, 1, 1),
    ("1e+", .badNumber, 1, 1),
    ("1.e1", .badNumber, 1, 1),
    ("0x10", .badNumber, 1, 1),
    ("1.2.3", .badNumber, 1, 1),
    ("1-2", .badNumber, 1, 1),
    ("[12abc]", .badNumber, 1, 2),
    ("1e400", .numberOutOfRange, 1, 1),
    ("[0, -1e400]", .numberOutOfRange, 1, 5),
    ("1e99999999999999999999", .numberOutOfRange, 1, 1),
    ("NaN", .notANumberWord, 1, 1),
    ("[Infinity]", .notANumberWord, 1, 2),
    ("[-Infinity]", .notANumberWord, 1, 2),
    ("\"abc", .unterminatedString, 1, 1),
    ("[\"abc\\", .unterminatedString, 1, 2),
    ("[\"a\", \"bc\\\"]", .unterminatedString, 1, 7),
    ("\"a\nb\"", .controlCharacter, 1, 3),
    ("\"a\tb\"", .controlCharacter, 1, 3),
    ("\"\u{0}\"", .controlCharacter, 1, 2),
    ("\"abcdefgh\u{1F}\"", .controlCharacter, 1, 10),
    ("\"\\x\"", .badEscape, 1, 2),
    ("\"a\\u12\"", .badEscape, 1, 3),
    ("\"\\u12G4\"", .badEscape, 1, 2),
    ("\"\\u", .badEscape, 1, 2),
    ("\"\\uD834\"", .loneSurrogate, 1, 2),
    ("\"ab\\uDD1E\"", .loneSurrogate, 1, 4),
    ("\"\\uD834\\uD834\"", .loneSurrogate, 1, 2),
    ("\"\\uD834\\n\"", .loneSurrogate, 1, 2),
  ]

  @Test(arguments: refused)
  func `what is not JSON is refused with its code and place`(
    text: String, code: JSONError.Code, line: Int, column: Int
  ) throws {
    let error = try #require(throws: JSONError.self) {
      _ = try JSONDocument(Array(text.utf8), options: .strict)
    }
    #expect(error.code == code, "\(error)")
    #expect(error.position.line == line && error.position.column == column, "\(error)")
    #expect(!error.message.isEmpty && !error.message.contains("\n"))
  }

  @Test func `every code but the size limit is reached by the table or by bytes`() {
    var reached = Set(Self.refused.map(\.code))
    reached.formUnion([.invalidUTF8, .nestingTooDeep, .inputTooLarge])
    #expect(reached == Set(JSONError.Code.allCases))
  }

  static let badUTF8: [(bytes: [UInt8], offset: Int)] = [
    ([0x22, 0x80, 0x22], 1),
    ([0x22, 0x61, 0xC3, 0x22], 2),
    ([0x22, 0xC0, 0xAF, 0x22], 1),
    ([0x22, 0xE0, 0x9F, 0xBF, 0x22], 1),
    ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
    ([0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], 1),
    ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
    ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1),
    ([0x22, 0xE2, 0x82], 1),
    ([0x22, 0xFF], 1),
    ([0x5B, 0xFF, 0x5D], 1),
    ([0xFF, 0xFE, 0x5B, 0x00], 0),
    ([0xFE, 0xFF, 0x00, 0x5B], 0),
  ]

  @Test(arguments: badUTF8)
  func `bytes that are not UTF-8 are refused at their offset`(bytes: [UInt8], offset: Int) throws {
    let error = try #require(throws: JSONError.self) { _ = try JSONDocument(bytes) }
    #expect(error.code == .invalidUTF8)
    #expect(error.position.offset == offset)
  }

  @Test func `a word of a sentence is about the fault and says what to do`() throws {
    let error = try #require(throws: JSONError.self) {
      _ = try JSONDocument(Array("{\n  \"a\": [1, 2\n".utf8))
    }
    #expect(
      error.description
        == "3:1: the text ends where ',' or ']' was expected; the array of line 2, column 8 is still open"
    )
  }
}
