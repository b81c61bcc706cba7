// SPDX-License-Identifier: Apache-2.0

import AHAP

/// The lines in which two texts differ.
///
/// The shortest way from one to the other (Myers, "An O(ND) difference algorithm", 1986) while that takes
/// at most some thousand lines; beyond it all between the common beginning and the common end is one difference.
struct LineDiff {
  /// A run of lines of the first text, and what it is in the second.
  struct Hunk: Hashable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The most lines that go or come before the search is given up: its memory grows with the square.
  static let mostChanges = 2_000

  let old: [ArraySlice<UInt8>]
  let new: [ArraySlice<UInt8>]
  private(set) var hunks: [Hunk] = []

  init(from old: [UInt8], to new: [UInt8]) {
    self.old = Self.lines(old)
    self.new = Self.lines(new)
    guard old != new else { return }
    var start = 0
    while start < min(self.old.count, self.new.count), self.old[start] == self.new[start] {
      start += 1
    }
    var (oldEnd, newEnd) = (self.old.count, self.new.count)
    while oldEnd > start, newEnd > start, self.old[oldEnd - 1] == self.new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    let whole = Hunk(old: start..<oldEnd, new: start..<newEnd)
    hunks = search(whole) ?? [whole]
  }

  /// Lines with the line feeds that end them.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while let feed = bytes[start...].firstIndex(of: 0x0A) {
      lines.append(bytes[start...feed])
      start = feed + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  /// Equal lines by equal numbers, so that they are compared fast.
  private func numbered(_ part: Hunk) -> (a: [Int32], b: [Int32]) {
    var numbers: [ArraySlice<UInt8>: Int32] = [:]
    func number(_ line: ArraySlice<UInt8>) -> Int32 {
      let next = Int32(numbers.count)
      let found = numbers[line]
      if found == nil { numbers[line] = next }
      return found ?? next
    }
    return (old[part.old].map(number), new[part.new].map(number))
  }

  /// Finds the shortest way; nil where it is longer than is looked for.
  private func search(_ part: Hunk) -> [Hunk]? {
    let (a, b) = numbered(part)
    let most = min(a.count + b.count, Self.mostChanges)
    let middle = most + 1
    // How far into `a` each diagonal reaches, and what was reached before each round.
    var reach = [Int32](repeating: 0, count: 2 * most + 3)
    var rounds: [[Int32]] = []
    for changes in 0...most {
      rounds.append(Array(reach[(middle - changes - 1)...(middle + changes + 1)]))
      for diagonal in stride(from: -changes, through: changes, by: 2) {
        let comes =
          diagonal == -changes
          || diagonal != changes
            && reach[middle + diagonal - 1] < reach[middle + diagonal + 1]
        var x = Int(comes ? reach[middle + diagonal + 1] : reach[middle + diagonal - 1] + 1)
        var y = x - diagonal
        // Beyond an end there is nothing, and the diagonal leads nowhere.
        while x < a.count, y < b.count, y >= 0, a[x] == b[y] {
          x += 1
          y += 1
        }
        reach[middle + diagonal] = Int32(x)
        if x >= a.count, y >= b.count { return hunks(rounds, part, a.count, b.count) }
      }
    }
    return nil
  }

  /// Goes the way back, and puts neighbouring changes together.
  private func hunks(
    _ rounds: [[Int32]], _ part: Hunk, _ oldCount: Int, _ newCount: Int
  ) -> [Hunk] {
    var (x, y) = (oldCount, newCount)
    var hunks: [Hunk] = []
    for changes in stride(from: rounds.count - 1, to: 0, by: -1) {
      let reach = rounds[changes]
      let middle = changes + 1
      let diagonal = x - y
      let comes =
        diagonal == -changes
        || diagonal != changes && reach[middle + diagonal - 1] < reach[middle + diagonal + 1]
      let from = comes ? diagonal + 1 : diagonal - 1
      let startX = Int(reach[middle + from])
      let startY = startX - from
      let (endX, endY) = comes ? (startX, startY + 1) : (startX + 1, startY)
      let hunk = Hunk(
        old: part.old.lowerBound + startX..<part.old.lowerBound + endX,
        new: part.new.lowerBound + startY..<part.new.lowerBound + endY)
      if let last = hunks.last, last.old.lowerBound == hunk.old.upperBound,
        last.new.lowerBound == hunk.new.upperBound
      {
        hunks[hunks.count - 1] = Hunk(
          old: hunk.old.lowerBound..<last.old.upperBound,
          new: hunk.new.lowerBound..<last.new.upperBound)
      } else {
        hunks.append(hunk)
      }
      (x, y) = (startX, startY)
    }
    return hunks.reversed()
  }

  /// The byte offset of a line of the first text.
  func offset(ofOld line: Int) -> Int {
    line < old.count ? old[line].startIndex : old.last?.endIndex ?? 0
  }

  /// The replacement that a hunk stands for.
  func edit(_ hunk: Hunk) -> TextEdit {
    TextEdit(
      range: offset(ofOld: hunk.old.lowerBound)..<offset(ofOld: hunk.old.upperBound),
      replacement: text(hunk))
  }

  /// What a hunk has in the second text.
  func text(_ hunk: Hunk) -> String {
    String(decoding: new[hunk.new].joined(), as: UTF8.self)
  }

  /// How many lines go or come.
  var changes: Int { hunks.reduce(0) { $0 + max($1.old.count, $1.new.count) } }
}
