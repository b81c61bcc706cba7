/// A place in a text: byte offset, line and column.
///
/// Lines end at a line feed; the carriage return of a CRLF belongs to the line that it ends. Columns
/// count Unicode scalars, and a byte order mark takes no column.
public struct JSONPosition: Sendable, Hashable {
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
}

extension JSONPosition: Comparable {
  /// Orders positions of one text by their offset.
  public static func < (first: Self, second: Self) -> Bool {
    first.offset < second.offset
  }
}

extension JSONPosition: CustomStringConvertible {
  /// Line and column as `line:column`.
  public var description: String { "\(line):\(column)" }
}
