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
  ///
  /// - Parameters:
  ///   - target: The byte offset.
  ///   - bytes: The text; the same one at each call.
  /// - Returns: The offset with its line and column.
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
    var at = offset
    var columnStart = offset
    while at &+ 8 <= target {
      let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let feeds = lineFeeds(in: word)
      if feeds != 0 {
        line &+= feeds.nonzeroBitCount
        column = 1
        columnStart = at &+ 8 &- feeds.leadingZeroBitCount &>> 3
      }
      at &+= 8
    }
    while at < target {
      if text[at] == 0x0A {
        line &+= 1
        column = 1
        columnStart = at &+ 1
      }
      at &+= 1
    }
    for index in columnStart..<max(target, columnStart) where text[index] & 0xC0 != 0x80 {
      column &+= 1
    }
    offset = target
  }
}

/// Sets the top bit of each byte of a word that is a line feed.
@inline(__always)
private func lineFeeds(in word: UInt64) -> UInt64 {
  let difference = word ^ 0x0A0A_0A0A_0A0A_0A0A
  let low = (difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
  return ~(low | difference | 0x7F7F_7F7F_7F7F_7F7F)
}

/// The length of the UTF-8 byte order mark EF BB BF.
let byteOrderMarkLength = 3

/// Tells whether a text starts with the UTF-8 byte order mark.
func hasByteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
  bytes.count >= byteOrderMarkLength && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
}

/// Sets the top bit of the bytes of a word that equal a byte; exact up to the lowest of them.
@inline(__always)
func bytesEqual(to byte: UInt8, in word: UInt64) -> UInt64 {
  let difference = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
  return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
}
