// SPDX-License-Identifier: Apache-2.0

/// The fixes of one pass that do not hinder each other, applied to a text.
struct EditPass {
  let chosen: [Fix]
  let bytes: [UInt8]
  /// Runs of the new text that stand in the old one, by rising offset, and where those between end.
  private var runs: [(new: Int, old: Int)] = []

  /// Chooses among fixes that overlap the earlier ones, those that reorder last, and applies them.
  init(_ found: [Fix], to old: [UInt8]) {
    let ranked = found.sorted {
      ($0.isReordering ? 1 : 0, $0.firstOffset) < ($1.isReordering ? 1 : 0, $1.firstOffset)
    }
    let edits = Self.withoutOverlap(ranked)
    var isChosen = Array(repeating: false, count: ranked.count)
    var new: [UInt8] = []
    new.reserveCapacity(old.count + 64)
    var at = 0
    for (rank, edit) in edits {
      isChosen[rank] = true
      runs.append((new.count, at))
      new += old[at..<edit.range.lowerBound]
      runs.append((new.count, edit.range.lowerBound))
      new += edit.replacement.utf8
      at = edit.range.upperBound
    }
    runs.append((new.count, at))
    new += old[at...]
    bytes = new
    chosen = zip(ranked, isChosen).filter { $0.1 }.map(\.0)
  }

  /// The edits of the fixes that stay, by rising offset, each with the rank of its fix.
  ///
  /// Of two that overlap the one of lower rank is dropped; whatever stays is free of overlap, since
  /// one edit at most reaches beyond the start of the next.
  private static func withoutOverlap(_ ranked: [Fix]) -> [(rank: Int, edit: TextEdit)] {
    var edits: [(rank: Int, edit: TextEdit)] = []
    for (rank, fix) in ranked.enumerated() {
      edits += fix.edits.map { (rank, $0) }
    }
    edits.sort {
      ($0.edit.range.lowerBound, $0.edit.range.upperBound, $0.rank)
        < ($1.edit.range.lowerBound, $1.edit.range.upperBound, $1.rank)
    }
    var isDropped = Array(repeating: false, count: ranked.count)
    var holder: (rank: Int, end: Int)?
    for (rank, edit) in edits where !isDropped[rank] {
      if let current = holder, !isDropped[current.rank], edit.range.lowerBound < current.end {
        isDropped[max(rank, current.rank)] = rank != current.rank
        if isDropped[rank] { continue }
      }
      holder = (rank, edit.range.upperBound)
    }
    return edits.filter { !isDropped[$0.rank] }
  }

  /// The place in the old text of an offset in the new one; where an edit put something, the place
  /// of the edit.
  func oldOffset(of new: Int) -> Int {
    let index = runs.firstIndexAfter { $0.new <= new } - 1
    guard index >= 0 else { return new }
    // Copied runs have even indices; the others are replacements, which have no place of their own.
    return index.isMultiple(of: 2) ? runs[index].old + new - runs[index].new : runs[index].old
  }
}

/// Subtraction of numbers as they are written, so that 0.3 - 0.1 is 0.2.
enum DecimalDifference {
  private struct Decimal {
    var mantissa: Int
    /// The number of digits behind the point.
    var scale: Int
  }

  /// The shortest text of the difference of two JSON numbers.
  ///
  /// Exact where the digits of both fit into 64 bits; else the difference of the nearest doubles.
  static func text(_ first: String, minus second: String) -> String {
    if let a = decimal(first), let b = decimal(second),
      let text = exact(a, minus: b)
    {
      return text
    }
    return ((Double(first) ?? 0) - (Double(second) ?? 0)).plain
  }

  private static func decimal(_ text: String) -> Decimal? {
    var digits = ""
    var scale: Int?
    for character in text {
      if character == "." {
        scale = 0
      } else if character.isWholeNumber || character == "-" {
        digits.append(character)
        scale = scale.map { $0 + 1 }
      } else {
        return nil
      }
    }
    return Int(digits).map { Decimal(mantissa: $0, scale: scale ?? 0) }
  }

  private static func exact(_ a: Decimal, minus b: Decimal) -> String? {
    let scale = max(a.scale, b.scale)
    guard let first = scaled(a, to: scale), let second = scaled(b, to: scale) else { return nil }
    let (difference, overflows) = first.subtractingReportingOverflow(second)
    guard !overflows, difference != Int.min else { return nil }
    var digits = String(abs(difference))
    digits = String(repeating: "0", count: max(scale + 1 - digits.count, 0)) + digits
    var fraction = digits.suffix(scale)
    while fraction.last == "0" { fraction.removeLast() }
    let sign = difference < 0 ? "-" : ""
    return sign + digits.dropLast(scale) + (fraction.isEmpty ? "" : "." + fraction)
  }

  private static func scaled(_ number: Decimal, to scale: Int) -> Int? {
    var mantissa = number.mantissa
    for _ in number.scale..<scale {
      let (product, overflows) = mantissa.multipliedReportingOverflow(by: 10)
      if overflows { return nil }
      mantissa = product
    }
    return mantissa
  }
}
