// SPDX-License-Identifier: Apache-2.0

/// A place in a text: byte offset, line and column.
///
/// Lines end at a line feed; the carriage return of a CRLF belongs to the line that it ends. Columns
/// count Unicode scalars, and a byte order mark takes no column.
public struct JSONPosition: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number of bytes before the place, a byte order mark included.
  public var offset: Int
  /// The line, counted from 1.
  public var line: Int
  /// The column in Unicode scalars, counted from 1.
  public var column: Int

  /// Creates a position from its three numbers.
  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// Finds the line and column of a byte offset.
  ///
  /// An offset outside the text is moved to its nearer end. Linear in the offset: for many places in
  /// one text use ``JSONPositionFinder``.
  public init(offset: Int, in bytes: [UInt8]) {
    var finder = JSONPositionFinder()
    self = finder.position(of: offset, in: bytes.span)
  }

  /// Orders positions of one text by their offset.
  public static func < (first: Self, second: Self) -> Bool { first.offset < second.offset }

  /// Line and column as `line:column`.
  public var description: String { "\(line):\(column)" }
}

/// Finds the lines and columns of many byte offsets in one text.
///
/// It remembers the last place: asking in rising order costs one pass over the text altogether, and
/// asking for an earlier place starts again from the top.
public struct JSONPositionFinder: Sendable {
  private var offset = 0
  private var line = 1
  private var column = 1

  /// Creates a finder that stands at the start of a text.
  public init() {}

  /// Finds the position of a byte offset; an offset outside the text is moved to its nearer end.
  public mutating func position(of target: Int, in bytes: Span<UInt8>) -> JSONPosition {
    bytes.withUnsafeBytes { position(of: target, in: $0) }
  }

  /// Finds the position of a byte offset in memory that outlives the call.
  mutating func position(of target: Int, in text: UnsafeRawBufferPointer) -> JSONPosition {
    let target = min(max(target, 0), text.count)
    if target < offset {
      self = Self()
    }
    if offset == 0 && hasByteOrderMark(text) && target > 0 {
      offset = min(byteOrderMarkLength, target)
    }
    advance(to: target, in: text)
    return JSONPosition(offset: target, line: line, column: column)
  }

  private mutating func advance(to target: Int, in text: UnsafeRawBufferPointer) {
    var columnStart = offset
    let feeds = countLineFeeds(in: text, from: offset, to: target)
    if feeds > 0 {
      line &+= feeds
      column = 1
      columnStart = target
      while text[columnStart &- 1] != 0x0A { columnStart &-= 1 }
    }
    for index in columnStart..<target where text[index] & 0xC0 != 0x80 {
      column &+= 1
    }
    offset = target
  }
}

/// Counts the line feeds of a range: eight bytes at a time, each of which counts its own in a word,
/// in stretches so short that no count passes 255.
private func countLineFeeds(in text: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
  let (eachByte, eachPair): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x0001_0001_0001_0001)
  var feeds = 0
  var at = start
  while at &+ 8 <= end {
    let stretch = min(at &+ 255 &* 8, end)
    var counts: UInt64 = 0
    while at &+ 8 <= stretch {
      let difference = text.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ (0x0A &* eachByte)
      // The top bit of a byte of `rest` is 0 where the byte of `difference` is 0.
      let rest = ((difference & (0x7F &* eachByte)) &+ (0x7F &* eachByte)) | difference
      counts &+= (~rest &>> 7) & eachByte
      at &+= 8
    }
    let pairs = (counts & (0xFF &* eachPair)) &+ (counts &>> 8 & (0xFF &* eachPair))
    feeds &+= Int((pairs &* eachPair) &>> 48)
  }
  while at < end {
    feeds &+= text[at] == 0x0A ? 1 : 0
    at &+= 1
  }
  return feeds
}

/// The length of the UTF-8 byte order mark EF BB BF.
let byteOrderMarkLength = 3

/// Tells whether a text starts with the UTF-8 byte order mark.
func hasByteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
  bytes.count >= byteOrderMarkLength && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
}

/// The line of a text around a place, made fit to print, with the column to point at.
///
/// A line longer than the width is cut around the place and marked with `...`. Control characters,
/// tabs among them, show as a space each, so that the caret stands right; bytes that are not UTF-8
/// show as U+FFFD. The cost depends on the width alone, not on the line.
package struct SourceSnippet: Sendable, Hashable {
  /// The line, or the part of it around the place.
  package var line: String
  /// The number of characters of ``line`` before the place.
  package var caret: Int

  private static let cutMark = "..."
  private static let indent = "    "

  /// Cuts the line around a position out of a text.
  package init(bytes: [UInt8], position: JSONPosition, width: Int = 100) {
    let width = max(width, 20)
    let place = min(max(position.offset, 0), bytes.count)

    var start = place
    var before = 0
    while start > 0, bytes[start - 1] != 0x0A, before < width * 3 / 5, place - start < width * 4 {
      start -= 1
      before += bytes[start] & 0xC0 == 0x80 ? 0 : 1
    }
    // The limit in bytes, which bounds a scan over what is not UTF-8, can fall inside a character.
    while start > 0, start < place, bytes[start] & 0xC0 == 0x80 { start += 1 }
    var lineStart = 0
    if bytes.withUnsafeBytes(hasByteOrderMark) {
      lineStart = byteOrderMarkLength
      start = max(start, min(lineStart, place))
    }
    let isCutBefore = start > lineStart && bytes[start - 1] != 0x0A

    var end = place
    var after = 0
    while end < bytes.count, bytes[end] != 0x0A, end - place < width * 4 {
      if bytes[end] & 0xC0 != 0x80 {
        if after == width - before { break }
        after += 1
      }
      end += 1
    }
    let isCutAfter = end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D

    let head = Self.printable(bytes[start..<place])
    var tail = Self.printable(bytes[place..<end])
    while tail.last == " " { tail.removeLast() }
    line = (isCutBefore ? Self.cutMark : "") + head + tail + (isCutAfter ? Self.cutMark : "")
    caret = (isCutBefore ? Self.cutMark.count : 0) + head.unicodeScalars.count
  }

  /// Renders `file:line:column: sentence`, the source line and a caret below it, without a final
  /// line feed.
  package static func report(
    bytes: [UInt8], fileName: String, position: JSONPosition, sentence: String
  ) -> String {
    let snippet = SourceSnippet(bytes: bytes, position: position)
    let head = "\(fileName):\(position.line):\(position.column): \(sentence)"
    guard !snippet.line.isEmpty else { return head }
    let space = String(repeating: " ", count: snippet.caret)
    return "\(head)\n\(indent)\(snippet.line)\n\(indent)\(space)^"
  }

  private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      text.append(isControl ? " " : scalar)
    }
    return String(text)
  }
}
