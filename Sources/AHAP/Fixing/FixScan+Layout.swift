import JSONText

extension FixScan {
  mutating func scanLayout(_ root: LocatedNode) {
    let bytes = source.bytes
    if document.hasByteOrderMark {
      add(
        .safe, .byteOrderMark, at: 0, "remove the byte order mark",
        [TextEdit(range: 0..<3, replacement: "")])
    }
    for offset in document.trailingCommaOffsets {
      add(
        .safe, .trailingComma, at: offset, "remove the comma before a closing bracket",
        [TextEdit(range: offset..<offset + 1, replacement: "")])
    }
    if bytes.last != UInt8(ascii: "\n") {
      let firstEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
      let hasReturns = firstEnd > 0 && bytes[firstEnd - 1] == UInt8(ascii: "\r")
      add(
        .safe, .noFinalNewline, at: bytes.count, "end the last line",
        [TextEdit(range: bytes.count..<bytes.count, replacement: hasReturns ? "\r\n" : "\n")])
    }
    if !document.duplicateKeyOffsets.isEmpty && kinds.contains(.safe) {
      scanDuplicates(root, repeated: Set(document.duplicateKeyOffsets))
    }
  }

  /// Removes the earlier members of each key that an object has twice, anywhere in the text.
  private mutating func scanDuplicates(_ value: LocatedNode, repeated: Set<Int>) {
    if value.node.kind == .array {
      for element in source.elements(of: value) { scanDuplicates(element, repeated: repeated) }
    }
    guard value.node.kind == .object else { return }
    let members = source.members(of: value)
    var removed: [(index: Int, by: Int)] = []
    if members.contains(where: { repeated.contains($0.key.offset) }) {
      // Bytes, not strings: two keys that only look alike are two keys.
      var latest: [[UInt8]: Int] = [:]
      for (index, member) in members.enumerated() {
        let name = Array((member.key.string ?? "").utf8)
        if let earlier = latest[name] { removed.append((earlier, index)) }
        latest[name] = index
      }
      removed.sort { $0.index < $1.index }
    }
    let edits = source.removals(
      of: removed.map(\.index), from: members.map(\.range), closing: value.end - 1)
    for (removal, edit) in zip(removed, edits) {
      let key = members[removal.by].key
      add(
        .safe, .duplicateKey, at: key.offset,
        "remove the earlier '\(key.shortString)', of which the last one counts", [edit])
    }
    for member in members { scanDuplicates(member.value, repeated: repeated) }
  }
}
