// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

/// The values of a document, its limits and what it notes.
struct StructureTests {
  private func root(_ text: String, _ options: JSONOptions = .lenient) throws -> JSONNode {
    try JSONDocument(Array(text.utf8), options: options).root
  }

  @Test func `members and elements come in the order of the text`() throws {
    let root = try root("{\"b\": [1, [2, 3], {}], \"a\": {\"x\": null}, \"c\": \"s\"}")
    #expect(root.members.map { $0.key.string } == ["b", "a", "c"])
    #expect(root.count == 3)
    let list = try #require(root["b"])
    #expect(list.elements.map(\.kind) == [.number, .array, .object])
    #expect(list.elements.map(\.count) == [0, 2, 0])
    #expect(root["a"]?["x"]?.isNull == true)
    #expect(root["missing"] == nil)
  }

  @Test func `asking a value for what it is not gives nothing`() throws {
    let root = try root("[1]")
    #expect(root.number == nil && root.string == nil && root.bool == nil && root["a"] == nil)
    #expect(root.members.map(\.key.offset).isEmpty)
    #expect(try self.root("\"x\"").elements.map(\.offset).isEmpty)
  }

  @Test func `the last of duplicate keys wins and all but the first are noted`() throws {
    let text = "{\"a\":1,\"b\":2,\"\\u0061\":3,\"a\":4}"
    let document = try JSONDocument(Array(text.utf8))
    #expect(document.root["a"]?.number == 4)
    #expect(document.duplicateKeyOffsets == [13, 24])
  }

  @Test func `duplicate keys of a large object are found`() throws {
    let keys = (0..<1000).map { "\"key\($0 % 990)\": \($0)" }
    let document = try JSONDocument(Array("{\(keys.joined(separator: ","))}".utf8))
    #expect(document.duplicateKeyOffsets.count == 10)
    #expect(document.root["key3"]?.number == 993)
  }

  @Test func `the same key in an inner object is no duplicate`() throws {
    let document = try JSONDocument(Array("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}".utf8))
    #expect(document.duplicateKeyOffsets.isEmpty)
  }

  @Test func `keys that are equal only after normalization are different`() throws {
    let document = try JSONDocument(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
    #expect(document.duplicateKeyOffsets.isEmpty)
    #expect(document.root["\u{E9}"]?.number == 1)
  }

  @Test func `trailing commas are allowed on request and noted`() throws {
    let document = try JSONDocument(Array("{\"a\":[1,2,],\n}".utf8), options: .lenient)
    #expect(document.trailingCommaOffsets == [9, 11])
    #expect(document.root["a"]?.count == 2)
  }

  @Test func `a byte order mark is skipped and takes no column`() throws {
    let document = try JSONDocument([0xEF, 0xBB, 0xBF] + Array("[7]".utf8))
    #expect(document.hasByteOrderMark)
    let seven = try #require(document.root.elements.map(\.self).first)
    #expect(seven.position == JSONPosition(offset: 4, line: 1, column: 2))
  }

  @Test func `the nesting limit is exact`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array(repeating: UInt8(ascii: "["), count: depth)
        + Array(repeating: UInt8(ascii: "]"), count: depth)
    }
    let options = JSONOptions(nestingLimit: 100)
    _ = try JSONDocument(nested(100), options: options)
    let error = try #require(throws: JSONError.self) {
      _ = try JSONDocument(nested(101), options: options)
    }
    #expect(error.code == .nestingTooDeep)
    #expect(error.position.offset == 100)
  }

  @Test(arguments: [100_000, 1_000_000])
  func `any depth beyond the limit is an error and not a trap`(depth: Int) throws {
    for opening in ["[", "{\"a\":", "[{\"\":"] {
      let text = Array(String(repeating: opening, count: depth).utf8)
      let error = try #require(throws: JSONError.self) {
        _ = try JSONDocument(text, options: JSONOptions(nestingLimit: .max))
      }
      #expect(error.code == .nestingTooDeep)
    }
  }

  @Test func `a value at the deepest nesting can be copied out and printed`() throws {
    let depth = JSONOptions.deepestNesting
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let value = try JSONValue(
      parsing: Array(text.utf8), options: JSONOptions(nestingLimit: depth))
    #expect(value.text(indent: nil) == text)
  }

  @Test func `a node outlives its document`() throws {
    let node = try root("[\"kept\"]").elements.map(\.self).first
    #expect(node?.string == "kept")
  }

  @Test func `strings are decoded`() throws {
    let text =
      #"["", "plain", "\"\\\/\b\f\n\r\t", "\u00e9\u20AC", "\uD834\uDD1E!", "é€𝄞", "a\u0000b"]"#
    let strings = try root(text).elements.map(\.string)
    #expect(
      strings == [
        "", "plain", "\"\\/\u{8}\u{C}\n\r\t", "\u{E9}\u{20AC}", "\u{1D11E}!", "é€\u{1D11E}",
        "a\u{0}b",
      ])
  }

  @Test func `a string matches its bytes whether or not it is escaped`() throws {
    let root = try root(#"["Time", "T\u0069me", "Times", 1, ""]"#)
    #expect(root.elements.map { $0.matches("Time") } == [true, true, false, false, false])
    #expect(root.elements.map { $0.matches("") } == [false, false, false, false, true])
  }

  @Test func `strings of every length end where they end`() throws {
    for length in 0..<70 {
      let content = String(repeating: "x", count: length)
      #expect(try root("[\"\(content)\",1]").elements.map(\.string) == [content, nil])
      #expect(try root("[\"\(content)\u{E9}\"]").elements.map(\.string) == [content + "\u{E9}"])
    }
  }
}
