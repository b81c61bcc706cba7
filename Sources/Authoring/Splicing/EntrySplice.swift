// SPDX-License-Identifier: Apache-2.0

/// A run of entries that others take the place of.
public struct EntrySplice: Sendable, Hashable {
  /// The index of the first entry that goes, among the entries as the splices before have left them.
  public var at: Int
  /// How many go.
  public var remove: Int
  /// The indices of those that come, in the state after.
  public var arrivals: Range<Int>
}

extension EntrySplice {
  /// Finds what an edit changes in the entries that a page holds.
  ///
  /// An entry is left out where its values stay and its place is the old one, moved by the edits; a
  /// page moves the places of its entries itself. The splices are to be done in their order. Where one
  /// of the texts is broken, its entries are of another text: then all are exchanged, or, while they are kept,
  /// none. Linear.
  public static func splices(
    from old: PatternText, to new: PatternText, by edits: TextEdits
  ) -> [EntrySplice] {
    guard new.broken == nil else { return [] }
    guard old.broken == nil else {
      let isNothing = old.entries.isEmpty && new.entries.isEmpty
      return isNothing
        ? [] : [EntrySplice(at: 0, remove: old.entries.count, arrivals: new.entries.indices)]
    }
    var splices: [EntrySplice] = []
    var (before, after) = (0, 0)
    while before < old.entries.count || after < new.entries.count {
      let (going, coming) = step(before, after, old, new, edits)
      if going == 1, coming == 1, isSame(before, after, old, new, edits) {
        before += 1
        after += 1
        continue
      }
      if let last = splices.indices.last, splices[last].arrivals.upperBound == after,
        splices[last].at + splices[last].arrivals.count == after
      {
        splices[last].remove += going
        splices[last].arrivals = splices[last].arrivals.lowerBound..<after + coming
      } else {
        splices.append(EntrySplice(at: after, remove: going, arrivals: after..<after + coming))
      }
      before += going
      after += coming
    }
    return splices
  }

  /// Whether the next entries of both lists are one entry, or which of them has no partner.
  private static func step(
    _ before: Int, _ after: Int, _ old: PatternText, _ new: PatternText, _ edits: TextEdits
  ) -> (going: Int, coming: Int) {
    guard before < old.entries.count else { return (0, 1) }
    guard after < new.entries.count else { return (1, 0) }
    let moved = edits.moved(start: old.places[before].lowerBound)
    let start = new.places[after].lowerBound
    let next = before + 1
    // An entry whose text is gone has fallen onto the place of the next one.
    if next < old.entries.count, edits.moved(start: old.places[next].lowerBound) == moved {
      return (1, 0)
    }
    return moved == start ? (1, 1) : moved < start ? (1, 0) : (0, 1)
  }

  private static func isSame(
    _ before: Int, _ after: Int, _ old: PatternText, _ new: PatternText, _ edits: TextEdits
  ) -> Bool {
    old.entries[before] == new.entries[after]
      && edits.moved(end: old.places[before].upperBound) == new.places[after].upperBound
  }
}
