import JSONText

/// A value of a JSON text with the offset after its last character.
struct LocatedNode {
  var node: JSONNode
  var end: Int

  var range: Range<Int> { node.offset..<end }
}

/// A member of an object with the offsets of its parts.
struct LocatedMember {
  var key: JSONNode
  var value: LocatedNode

  var range: Range<Int> { key.offset..<value.end }
}

/// A text that has been parsed, asked for the ends of its values.
///
/// A value ends where the white space and comma before the next one start, so the ends of a
/// container's contents follow from its own end, without a second parse.
struct SourceText {
  let bytes: [UInt8]
  /// Whether the text has no space behind its first colon, and so likely none behind any.
  let isCompact: Bool

  init(bytes: [UInt8]) {
    self.bytes = bytes
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    isCompact = colon + 1 < bytes.count && bytes[colon + 1] > 0x20
  }

  func root(of document: JSONDocument) -> LocatedNode {
    LocatedNode(node: document.root, end: contentEnd(before: bytes.count))
  }

  func elements(of array: LocatedNode) -> [LocatedNode] {
    let nodes = Array(array.node.elements)
    return nodes.indices.map { index in
      let isLast = index + 1 == nodes.count
      let limit = isLast ? array.end - 1 : nodes[index + 1].offset
      return LocatedNode(node: nodes[index], end: contentEnd(before: limit))
    }
  }

  func members(of object: LocatedNode) -> [LocatedMember] {
    let pairs = Array(object.node.members)
    return pairs.indices.map { index in
      let isLast = index + 1 == pairs.count
      let limit = isLast ? object.end - 1 : pairs[index + 1].key.offset
      return LocatedMember(
        key: pairs[index].key,
        value: LocatedNode(node: pairs[index].value, end: contentEnd(before: limit)))
    }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The offset after a string's closing quote.
  func stringEnd(_ string: JSONNode) -> Int {
    var at = string.offset + 1
    while at < bytes.count && bytes[at] != UInt8(ascii: "\"") {
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(at + 1, bytes.count)
  }

  /// Steps back over white space with at most one comma in it.
  private func contentEnd(before limit: Int) -> Int {
    var end = limit
    skipSpaceBack(&end)
    if end > 0 && bytes[end - 1] == UInt8(ascii: ",") {
      end -= 1
      skipSpaceBack(&end)
    }
    return end
  }

  private func skipSpaceBack(_ end: inout Int) {
    while end > 0, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[end - 1]) { end -= 1 }
  }
}
