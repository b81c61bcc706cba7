// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText

/// Turns what a batch does to the pattern's `Metadata` into replacements of its text.
enum MetadataWriter {
  private static let name = "Metadata"

  /// Refuses a `Metadata` that has no members.
  static func check(_ root: LocatedNode, _ source: SourceText) throws(EntryFault) {
    guard let old = written(root, source), old.value.node.kind != .object else { return }
    throw EntryFault("'Metadata' is no object here: make it one in the text first")
  }

  /// The replacements; none where the text says already what is asked.
  static func edits(
    _ changes: [String: JSONValue?], of root: LocatedNode, in source: SourceText
  ) -> [TextEdit] {
    let changes = changes.sorted { $0.key < $1.key }
    let members = source.members(of: root)
    guard let object = written(root, source)?.value else {
      let present = changes.compactMap { change in
        change.value.map { JSONMember(change.key, $0) }
      }
      guard !present.isEmpty,
        let place = members.lastIndex(where: { $0.key.matches("Pattern") })
      else { return [] }
      var list = ListEdit(items: members.map(\.range), of: root)
      let open = source.text(root.node.offset + 1..<members[0].key.offset)
      list.insert(member(name, .object(present), open, near: members[place], source), before: place)
      return list.edits(in: source) { .inline(padding: "", isCompact: source.isCompact) }
    }
    let own = source.members(of: object)
    var list = ListEdit(items: own.map(\.range), of: object)
    var edits: [TextEdit] = []
    let open = own.first.map { source.text(object.node.offset + 1..<$0.key.offset) } ?? ""
    for (key, value) in changes {
      let places = own.indices.filter { own[$0].key.matches(key) }
      guard let value else {
        for place in places { list.remove(place) }
        continue
      }
      if let last = places.last {
        guard own[last].value.node.value != value else { continue }
        edits.append(
          TextEdit(range: own[last].value.range, replacement: text(value, open, source)))
      } else {
        let near = own.last ?? members[0]
        list.insert(member(key, value, open, near: near, source), before: own.count)
      }
    }
    return edits + list.edits(in: source) { .inline(padding: "", isCompact: source.isCompact) }
  }

  private static func written(_ root: LocatedNode, _ source: SourceText) -> LocatedMember? {
    source.members(of: root).last { $0.key.matches(name) }
  }

  private static func member(
    _ name: String, _ value: JSONValue, _ open: String, near: LocatedMember, _ source: SourceText
  ) -> String {
    let colon = source.text(source.stringEnd(near.key)..<near.value.node.offset)
    return EntryLayout.quoted(name) + colon + text(value, open, source)
  }

  /// A value on lines of its own where its neighbours have such, else on one.
  private static func text(_ value: JSONValue, _ open: String, _ source: SourceText) -> String {
    guard open.contains(where: \.isNewline) else { return value.text(indent: nil) }
    var lines = value.text(indent: 2)
    while lines.last?.isNewline == true { lines.removeLast() }
    return lines.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: open)
  }
}
