// SPDX-License-Identifier: Apache-2.0

/// The one place where byte offsets of a text and those of a page, in UTF-16 units, meet.
///
/// A text of nothing but ASCII costs one pass, and nothing a question. Any other has a mark every
/// 1024 bytes, from which at most that many are counted.
public struct UTF16Offsets: Sendable {
  private static let stride = 1024

  private let bytes: [UInt8]
  /// The units before each mark; empty where each byte is a unit.
  private var marks: [Int] = []
  /// The length of the text in UTF-16 units.
  public private(set) var count: Int

  /// Looks through a text of valid UTF-8; linear.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    count = bytes.count
    guard bytes.withUnsafeBufferPointer({ $0.reduce(0, |) }) >= 0x80 else { return }
    marks.reserveCapacity(bytes.count / Self.stride + 1)
    count = 0
    for start in Swift.stride(from: 0, to: bytes.count, by: Self.stride) {
      marks.append(count)
      count += units(start..<min(start + Self.stride, bytes.count))
    }
  }

  /// The units before a byte offset within the text.
  public func utf16(of byte: Int) -> Int {
    guard !marks.isEmpty, byte > 0 else { return byte }
    let mark = min(byte / Self.stride, marks.count - 1)
    return marks[mark] + units(mark * Self.stride..<byte)
  }

  /// The byte offset behind some units; nil outside the text and inside a surrogate pair.
  public func byte(of utf16: Int) -> Int? {
    guard (0...count).contains(utf16) else { return nil }
    guard !marks.isEmpty else { return utf16 }
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle] <= utf16 { low = middle } else { high = middle }
    }
    var at = low * Self.stride
    var units = marks[low]
    while at < bytes.count {
      let width = Self.units(bytes[at])
      if units == utf16 && width > 0 { return at }
      units += width
      if units > utf16 { return nil }
      at += 1
    }
    return at
  }

  private func units(_ range: Range<Int>) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var units = 0
      for index in range { units &+= Self.units(bytes[index]) }
      return units
    }
  }

  /// The units of the character that a byte begins; 0 for the bytes within one.
  @inline(__always)
  private static func units(_ byte: UInt8) -> Int {
    (byte & 0xC0 == 0x80 ? 0 : 1) &+ (byte >= 0xF0 ? 1 : 0)
  }
}

/// The replacement of a run of a text, counted as pages count: in UTF-16 units.
public struct UTF16Edit: Sendable, Hashable {
  /// Where the run begins.
  public var from: Int
  /// Where it ends; `from` for an insertion.
  public var to: Int
  /// What stands there instead.
  public var insert: String

  /// Creates an edit.
  public init(from: Int, to: Int, insert: String) {
    self.from = from
    self.to = to
    self.insert = insert
  }
}
