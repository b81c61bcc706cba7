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
