// SPDX-License-Identifier: Apache-2.0

public import AHAP

/// Replacements in one text, in its order and apart from each other: one step of an edit.
public struct TextEdits: Sendable, Hashable {
  /// The replacements by rising offset; of several insertions at one place the first stands first.
  public let edits: [TextEdit]
  /// How many bytes the text has grown behind each replacement.
  private let growth: [Int]

  /// No replacement at all.
  public static let none = Self(sorted: [])

  /// Puts replacements in order.
  ///
  /// Throws where one lies outside the text, begins or ends within a character, or overlaps another.
  public init(_ edits: [TextEdit], on bytes: [UInt8]) throws(TextEditFault) {
    let order = edits.indices.sorted {
      let (a, b) = (edits[$0].range, edits[$1].range)
      return (a.lowerBound, a.upperBound, $0) < (b.lowerBound, b.upperBound, $1)
    }
    var end = 0
    for index in order {
      let range = edits[index].range
      guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
        throw TextEditFault(
          edit: index,
          message: "it reaches to byte \(range.upperBound) of a text of \(bytes.count) bytes")
      }
      for place in [range.lowerBound, range.upperBound] where place < bytes.count {
        guard bytes[place] & 0xC0 != 0x80 else {
          throw TextEditFault(edit: index, message: "byte \(place) lies within a character")
        }
      }
      guard range.lowerBound >= end else {
        throw TextEditFault(edit: index, message: "it overlaps another replacement")
      }
      end = range.upperBound
    }
    self.init(sorted: order.map { edits[$0] })
  }

  init(sorted edits: [TextEdit]) {
    self.edits = edits
    var total = 0
    growth = edits.map { edit in
      total += edit.replacement.utf8.count - edit.range.count
      return total
    }
  }

  /// Whether nothing is replaced.
  public var isEmpty: Bool { edits.isEmpty }

  /// By how many bytes the text grows.
  public var totalGrowth: Int { growth.last ?? 0 }

  /// Gives the text that the replacements make of the one that they were made for.
  public func applied(to bytes: [UInt8]) -> [UInt8] {
    guard !isEmpty else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + totalGrowth)
    var at = 0
    for edit in edits {
      result += bytes[at..<edit.range.lowerBound]
      result += edit.replacement.utf8
      at = edit.range.upperBound
    }
    result += bytes[at...]
    return result
  }

  /// Makes a text that of the replacements, in place where they are few.
  func apply(to bytes: inout [UInt8]) {
    guard edits.count <= Self.fewEdits else {
      bytes = applied(to: bytes)
      return
    }
    for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: edit.replacement.utf8) }
  }

  /// Each edit moves what is behind it: up to so many are cheaper than a new text.
  private static let fewEdits = 4

  /// Gives the replacements that take these back in the text that they have made.
  public func inverse(on bytes: [UInt8]) -> TextEdits {
    inverse(giving: edits.map { String(decoding: bytes[$0.range], as: UTF8.self) })
  }

  /// Gives the replacements that put these texts where these edits have put theirs.
  func inverse(giving texts: [String]) -> TextEdits {
    TextEdits(
      sorted: zip(written, texts).map { TextEdit(range: $0, replacement: $1) })
  }

  /// Where each replacement stands in the text that they have made.
  private var written: [Range<Int>] {
    zip(edits, [0] + growth).map { edit, before in
      let start = edit.range.lowerBound + before
      return start..<start + edit.replacement.utf8.count
    }
  }

  /// Gives what these and further replacements do together, where those change only what these have
  /// put; nil where they do not.
  func followed(by next: TextEdits) -> TextEdits? {
    var result = edits
    let written = written
    var place = written.count - 1
    // From behind, so that what is further in front in a replacement stays where it is.
    for edit in next.edits.reversed() {
      while place >= 0, written[place].lowerBound > edit.range.lowerBound { place -= 1 }
      guard place >= 0, edit.range.upperBound <= written[place].upperBound else { return nil }
      var text = Array(result[place].replacement.utf8)
      let start = edit.range.lowerBound - written[place].lowerBound
      text.replaceSubrange(start..<start + edit.range.count, with: edit.replacement.utf8)
      result[place].replacement = String(decoding: text, as: UTF8.self)
    }
    return TextEdits(sorted: result)
  }

  /// Where a start of something moves to that the replacements leave alone.
  ///
  /// What is put right before it moves it on.
  func moved(start offset: Int) -> Int { moved(offset) { $0.range.upperBound <= offset } }

  /// Where an end of something moves to; what is put right behind it leaves it where it is.
  func moved(end offset: Int) -> Int { moved(offset) { $0.range.lowerBound < offset } }

  /// Moves an offset by the growth of the edits before it, which are the first ones.
  private func moved(_ offset: Int, _ isBefore: (TextEdit) -> Bool) -> Int {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(edits[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? offset + growth[low - 1] : offset
  }
}

/// Why replacements do not fit a text.
public struct TextEditFault: Error, Sendable, Hashable {
  /// The index of the replacement.
  public var edit: Int
  /// What is wrong with it, as a clause.
  public var message: String
}
