// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

/// Texts made to exhaust a machine: each is read or refused in time and memory linear in its size.
struct HostileInputTests {
  private static let large = 16 << 20

  private static let notText: [JSONError.Code] = [
    .unexpectedCharacter, .invalidUTF8, .invalidUTF8,
  ]

  private func error(_ text: [UInt8]) throws -> JSONError {
    try #require(throws: JSONError.self) { _ = try JSONDocument(text, options: .lenient) }
  }

  private func repeated(_ text: String, _ count: Int) -> [UInt8] {
    Array(repeatElement(Array(text.utf8), count: count).joined())
  }

  @Test func `a string of many megabytes is read`() throws {
    let quote = UInt8(ascii: "\"")
    var text = [UInt8](repeating: UInt8(ascii: "x"), count: Self.large)
    text[0] = quote
    text[Self.large - 1] = quote
    #expect(try JSONDocument(text).root.string?.utf8.count == Self.large - 2)
  }

  @Test func `a string of many megabytes without its end is refused where it starts`() throws {
    var text = [UInt8](repeating: UInt8(ascii: "x"), count: Self.large)
    text.replaceSubrange(0..<3, with: Array(" [\"".utf8))
    let error = try error(text)
    #expect(error.code == .unterminatedString)
    #expect(error.position == JSONPosition(offset: 2, line: 1, column: 3))
  }

  @Test func `a string of nothing but escapes is decoded`() throws {
    let pairs = 100_000
    let text = [UInt8(ascii: "\"")] + repeated("\\uD834\\uDD1E", pairs) + [UInt8(ascii: "\"")]
    #expect(try JSONDocument(text).root.string?.unicodeScalars.count == pairs)
  }

  @Test func `megabytes of white space hold nothing`() throws {
    let error = try error([UInt8](repeating: 0x20, count: Self.large))
    #expect(error.code == .emptyInput && error.position.offset == Self.large)
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":["])
  func `a hundred thousand containers in each other are refused at the limit`(
    opening: String
  ) throws {
    let error = try error(repeated(opening, 100_000))
    let openings = opening.count { $0 == "[" || $0 == "{" }
    #expect(error.code == .nestingTooDeep)
    #expect(error.position.offset >= 512 / openings * opening.utf8.count)
    #expect(error.position.offset < (512 / openings + 1) * opening.utf8.count)
  }

  @Test func `values beside each other are counted`() throws {
    let text = Array("[".utf8) + repeated("[],", 250_000) + Array("]".utf8)
    let document = try JSONDocument(text, options: .lenient)
    #expect(document.root.count == 250_000)
    #expect(document.trailingCommaOffsets == [750_000])
  }

  @Test func `a hundred thousand different keys have no duplicate and equal ones all but one`()
    throws
  {
    let keys = 100_000
    let members = (0..<keys).map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(try JSONDocument(Array("{\(members)}".utf8)).duplicateKeyOffsets.isEmpty)
    let equal = Array("{".utf8) + repeated("\"a\":1,", keys) + Array("\"a\":2}".utf8)
    let document = try JSONDocument(equal)
    #expect(document.duplicateKeyOffsets.count == keys)
    #expect(document.root["a"]?.number == 2)
  }

  @Test func `a number of a million digits is the nearest double or out of range`() throws {
    let zeros = String(repeating: "0", count: 1_000_000)
    #expect(try JSONDocument(Array("0.\(zeros)1e1000001".utf8)).root.number == 1)
    #expect(try JSONDocument(Array("1\(zeros)e-1000000".utf8)).root.number == 1)
    #expect(try error(Array("1\(zeros)".utf8)).code == .numberOutOfRange)
    #expect(try error(Array("1e\(zeros)400".utf8)).code == .numberOutOfRange)
  }

  @Test(arguments: zip([0x00, 0x80, 0xFF] as [UInt8], notText))
  func `bytes that are no text are refused at the first one`(
    byte: UInt8, code: JSONError.Code
  ) throws {
    let error = try error([UInt8](repeating: byte, count: 100_000))
    #expect(error.code == code && error.position.offset == 0)
  }

  @Test func `a text cut anywhere is refused or read and its fault lies within it`() throws {
    let text = Array(#"{"a":[1.5e-3,"\uD834\uDD1E é",{"b":null,"c":[true,false]}],"d":-0}"#.utf8)
    _ = try JSONDocument(text)
    for length in 0..<text.count {
      let error = try error(Array(text.prefix(length)))
      #expect((0...length).contains(error.position.offset), "\(length): \(error)")
    }
  }
}
