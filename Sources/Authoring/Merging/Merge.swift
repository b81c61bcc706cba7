// SPDX-License-Identifier: Apache-2.0

public import AHAP

/// Two changes of one text put together: by lines, and only where they keep out of each other's way.
public enum Merge {
  /// What comes of it.
  public enum Outcome: Sendable, Hashable {
    /// The replacements that bring their changes into our text.
    case merged([TextEdit])
    case conflict(Conflict)
  }

  /// A merge that a person must decide.
  public struct Conflict: Sendable, Hashable {
    /// How many lines we have changed.
    public var mine: Int
    /// How many lines they have changed.
    public var theirs: Int
  }

  /// Merges what was made of a base text here and elsewhere.
  ///
  /// A conflict where both changed the same lines, or put lines at the same place, and not in the same
  /// way; and where the result cannot be read as a pattern although one of the two can.
  public static func merge(base: [UInt8], ours: [UInt8], theirs: [UInt8]) -> Outcome {
    if ours == theirs || base == theirs { return .merged([]) }
    if base == ours { return .merged(edits(from: ours, to: theirs)) }
    let own = LineDiff(from: base, to: ours)
    let other = LineDiff(from: base, to: theirs)
    let conflict = Outcome.conflict(Conflict(mine: own.changes, theirs: other.changes))
    guard let edits = others(own, other, ours),
      let merged = try? TextEdits(edits, on: ours).applied(to: ours),
      PatternText(merged).broken == nil
        || (PatternText(ours).broken != nil && PatternText(theirs).broken != nil)
    else { return conflict }
    return .merged(edits)
  }

  /// The replacements of lines that make one text of another.
  public static func edits(from old: [UInt8], to new: [UInt8]) -> [TextEdit] {
    let diff = LineDiff(from: old, to: new)
    return diff.hunks.map(diff.edit)
  }

  /// Their hunks as replacements in our text; nil where one meets one of ours.
  private static func others(
    _ own: LineDiff, _ other: LineDiff, _ ours: [UInt8]
  ) -> [TextEdit]? {
    var edits: [TextEdit] = []
    var (next, shift) = (0, 0)
    for hunk in other.hunks {
      while next < own.hunks.count, own.hunks[next].old.upperBound <= hunk.old.lowerBound,
        !meets(own.hunks[next].old, hunk.old)
      {
        let edit = own.edit(own.hunks[next])
        shift += edit.replacement.utf8.count - edit.range.count
        next += 1
      }
      let theirs = other.edit(hunk)
      if next < own.hunks.count, meets(own.hunks[next].old, hunk.old) {
        guard own.edit(own.hunks[next]) == theirs else { return nil }
        continue
      }
      let range = theirs.range
      edits.append(
        TextEdit(
          range: range.lowerBound + shift..<range.upperBound + shift,
          replacement: theirs.replacement))
    }
    return edits
  }

  /// Whether two runs of lines have one in common, or one of them is a place at the other.
  private static func meets(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    if first.isEmpty || second.isEmpty {
      return first.lowerBound <= second.upperBound && second.lowerBound <= first.upperBound
    }
    return first.overlaps(second)
  }
}
