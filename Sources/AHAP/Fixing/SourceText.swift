// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A value of a JSON text with the offset after its last character.
package struct LocatedNode {
  package var node: JSONView
  package var end: Int

  package var range: Range<Int> { node.offset..<end }
}

package struct LocatedMember {
  package var key: JSONView
  package var value: LocatedNode

  package var range: Range<Int> { key.offset..<value.end }
}

/// A text that has been parsed, asked for the ends of its values.
///
/// A value ends where the white space and comma before the next one start, so the ends of a
/// container's contents follow from its own end, without a second parse.
package struct SourceText {
  package let bytes: [UInt8]
  /// Whether the text has no space behind its first colon, and so likely none behind any.
  package let isCompact: Bool

  package init(bytes: [UInt8]) {
    self.bytes = bytes
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    isCompact = colon + 1 < bytes.count && bytes[colon + 1] > 0x20
  }

  package func located(root: JSONView) -> LocatedNode {
    LocatedNode(node: root, end: contentEnd(before: bytes.count))
  }

  package func elements(of array: LocatedNode) -> [LocatedNode] {
    let nodes = Array(array.node.elements)
    let limits = nodes.dropFirst().map(\.offset) + [array.end - 1]
    return zip(nodes, limits).map { LocatedNode(node: $0, end: contentEnd(before: $1)) }
  }

  package func members(of object: LocatedNode) -> [LocatedMember] {
    let pairs = Array(object.node.members)
    let limits = pairs.dropFirst().map(\.key.offset) + [object.end - 1]
    return zip(pairs, limits).map { pair, limit in
      LocatedMember(
        key: pair.key, value: LocatedNode(node: pair.value, end: contentEnd(before: limit)))
    }
  }

  package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The offset after a string's closing quote.
  package func stringEnd(_ string: JSONView) -> Int {
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

extension SourceText {
  /// The edits that remove some items of a list, each valid with or without the others.
  ///
  /// An item goes with the comma after it; items at the end go with the comma before them.
  func removals(of removed: [Int], from items: [Range<Int>], closing end: Int) -> [TextEdit] {
    var tail = items.count
    for index in removed.reversed() where index == tail - 1 { tail = index }
    return removed.map { index in
      let isLast = index + 1 == items.count
      let range =
        if index >= tail && tail > 0 {
          items[index - 1].upperBound..<items[index].upperBound
        } else {
          items[index].lowerBound..<(isLast ? end : items[index + 1].lowerBound)
        }
      return TextEdit(range: range, replacement: "")
    }
  }

  func removal(of index: Int, from fields: Fields) -> [TextEdit] {
    removals(of: [index], from: fields.members.map(\.range), closing: fields.object.end - 1)
  }

  /// The edit that puts a member before the first one, in the layout of the object.
  func insertion(first name: String, _ value: String, into members: [LocatedMember]) -> [TextEdit] {
    guard let first = members.first else { return [] }
    let text = "\"\(name)\"\(colon(of: first))\(value)" + separator(members.map(\.range))
    return [TextEdit(range: first.key.offset..<first.key.offset, replacement: text)]
  }

  /// The edit that puts a member behind the last one, in the layout of the object.
  func insertion(last name: String, _ value: String, into members: [LocatedMember]) -> [TextEdit] {
    guard let last = members.last else { return [] }
    let text = separator(members.map(\.range)) + "\"\(name)\"\(colon(of: last))\(value)"
    return [TextEdit(range: last.value.end..<last.value.end, replacement: text)]
  }

  private func colon(of member: LocatedMember) -> String {
    text(stringEnd(member.key)..<member.value.node.offset)
  }

  /// The comma and white space between the items of a list.
  func separator(_ items: [Range<Int>]) -> String {
    if items.count > 1 { return text(items[0].upperBound..<items[1].lowerBound) }
    let inline = isCompact ? "," : ", "
    guard let first = items.first else { return inline }
    var start = first.lowerBound
    while start > 0, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[start - 1]) { start -= 1 }
    return start == first.lowerBound ? inline : "," + text(start..<first.lowerBound)
  }

  /// The edits that put the texts of some items into a new order, between which all else stays.
  func permutation(of slots: [Range<Int>], by order: [Int]) -> [TextEdit] {
    zip(slots, order).enumerated().compactMap { index, pair in
      pair.1 == index
        ? nil : TextEdit(range: pair.0, replacement: text(slots[pair.1]))
    }
  }
}

/// The members of an object by the known names; of a key given twice the last one counts.
struct Fields {
  let object: LocatedNode
  let members: [LocatedMember]
  /// The members with other names.
  private(set) var others: [LocatedMember] = []
  /// The names that these were probably meant to have: not to be filled in with a default either.
  var meant: Set<String> = []
  private var indices: [(name: String, index: Int)] = []
  private var repeated: [String] = []

  init(_ object: LocatedNode, known: [String], in source: SourceText) {
    self.object = object
    members = source.members(of: object)
    for (index, member) in members.enumerated() {
      guard let name = known.first(where: { member.key.matches($0) }) else {
        others.append(member)
        continue
      }
      if let place = indices.firstIndex(where: { $0.name == name }) {
        indices[place].index = index
        repeated.append(name)
      } else {
        indices.append((name, index))
      }
    }
  }

  func index(of name: String) -> Int? { indices.first { $0.name == name }?.index }

  subscript(name: String) -> LocatedNode? { index(of: name).map { members[$0].value } }

  /// Whether removing the member would bring an earlier one of its name to life.
  func isRepeated(_ name: String) -> Bool { repeated.contains(name) }
}
