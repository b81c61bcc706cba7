// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText

/// White space of a list of items: behind its opening bracket, between items, before its closing one.
struct ListLayout: Hashable {
  var open: String
  /// The comma with the space around it.
  var between: String
  var close: String

  /// Whether the items have lines of their own.
  var isSpread: Bool { open.contains { $0.isNewline } }

  /// A list on one line, with some space inside its brackets.
  static func inline(padding: String, isCompact: Bool) -> Self {
    Self(open: padding, between: isCompact ? "," : ", ", close: padding)
  }

  /// A list with a line for each item, whose lines begin with `lineStart` and its brackets' with `outer`.
  static func spread(_ lineStart: String, outer: String) -> Self {
    Self(open: lineStart, between: "," + lineStart, close: outer)
  }

  func text(of items: [String], in brackets: (String, String)) -> String {
    guard !items.isEmpty else { return brackets.0 + brackets.1 }
    return brackets.0 + open + items.joined(separator: between) + close + brackets.1
  }
}

/// What a batch does to the items of one array or object: some go, some come, the others stay as they
/// are, with the space and the commas between them.
struct ListEdit {
  /// The items as they lie in the text.
  let items: [Range<Int>]
  /// What lies between the brackets.
  let inside: Range<Int>
  private var removed: Set<Int> = []
  private var inserted: [(before: Int, text: String)] = []

  init(items: [Range<Int>], inside: Range<Int>) {
    self.items = items
    self.inside = inside
  }

  init(items: [Range<Int>], of list: LocatedNode) {
    self.init(items: items, inside: list.node.offset + 1..<list.end - 1)
  }

  mutating func remove(_ index: Int) { removed.insert(index) }

  mutating func insert(_ text: String, before index: Int) { inserted.append((index, text)) }

  /// The replacements that do it.
  ///
  /// `empty` is the layout of a list that has had no items.
  func edits(in source: SourceText, empty: () -> ListLayout) -> [TextEdit] {
    guard !removed.isEmpty || !inserted.isEmpty else { return [] }
    let arrivals = inserted.indices.sorted {
      (inserted[$0].before, $0) < (inserted[$1].before, $1)
    }.map { inserted[$0] }
    var edits: [TextEdit] = []
    var next = arrivals.startIndex
    var texts: [String] = []
    var firstRemoved: Int?
    var lastKept: Int?
    for index in items.indices {
      while next < arrivals.endIndex, arrivals[next].before <= index {
        texts.append(arrivals[next].text)
        next += 1
      }
      if removed.contains(index) {
        firstRemoved = firstRemoved ?? index
        continue
      }
      if firstRemoved != nil || !texts.isEmpty {
        let end = items[index].lowerBound
        let comma = separator(near: index, in: source)
        edits.append(
          TextEdit(
            range: (firstRemoved.map { items[$0].lowerBound } ?? end)..<end,
            replacement: texts.map { $0 + comma }.joined()))
      }
      (lastKept, firstRemoved, texts) = (index, nil, [])
    }
    texts += arrivals[next...].map(\.text)
    guard firstRemoved != nil || !texts.isEmpty else { return edits }
    return edits + [tail(texts, behind: lastKept, hasRemoved: firstRemoved != nil, source, empty)]
  }

  /// The replacement behind the last item that stays.
  private func tail(
    _ texts: [String], behind lastKept: Int?, hasRemoved: Bool, _ source: SourceText,
    _ empty: () -> ListLayout
  ) -> TextEdit {
    guard let first = items.first, let last = items.last else {
      let empty = empty()
      return TextEdit(
        range: inside,
        replacement: empty.open + texts.joined(separator: empty.between) + empty.close)
    }
    let comma = separator(near: items.count, in: source)
    if let lastKept {
      let start = items[lastKept].upperBound
      return TextEdit(
        range: start..<(hasRemoved ? last.upperBound : start),
        replacement: texts.map { comma + $0 }.joined())
    }
    guard !texts.isEmpty else { return TextEdit(range: inside, replacement: "") }
    return TextEdit(
      range: first.lowerBound..<last.upperBound, replacement: texts.joined(separator: comma))
  }

  /// The comma and the space between two items, as they are nearest to an index.
  private func separator(near index: Int, in source: SourceText) -> String {
    guard items.count > 1 else {
      let space = source.text(inside.lowerBound..<items[0].lowerBound)
      return space.isEmpty ? (source.isCompact ? "," : ", ") : "," + space
    }
    let second = min(max(index, 1), items.count - 1)
    return source.text(items[second - 1].upperBound..<items[second].lowerBound)
  }
}
