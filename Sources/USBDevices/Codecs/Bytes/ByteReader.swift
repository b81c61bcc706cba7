public import DeviceStreams

/// Reads numbers one after the other from the bytes of a packet.
///
/// A value: copying it keeps the place. Every read that would pass the end throws `truncated`.
public struct ByteReader: Sendable {
  /// The bytes, of which the reader sees `offset..<end`.
  private let bytes: [UInt8]
  private let end: Int
  private let start: Int
  /// What the bytes are read as, for messages.
  public let packet: String
  /// The place of the next read, in bytes from the start of the packet.
  public var offset: Int { place - start }
  private var place: Int

  /// Starts at the first byte.
  public init(_ bytes: [UInt8], as packet: String) {
    self.init(bytes, range: 0..<bytes.count, as: packet)
  }

  /// Starts at the first byte of a range.
  public init(_ bytes: [UInt8], range: Range<Int>, as packet: String) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count,
      "\(range) is not within \(bytes.count) bytes")
    self.bytes = bytes
    self.packet = packet
    start = range.lowerBound
    place = range.lowerBound
    end = range.upperBound
  }

  /// How many bytes are left.
  public var remaining: Int { end - place }

  /// Makes an error at the place of the next read.
  public func error(_ code: CodecError.Code, _ problem: String) -> CodecError {
    CodecError(code, packet: packet, offset: offset, problem: problem)
  }

  private func need(_ count: Int) throws(CodecError) {
    guard count <= remaining else {
      throw error(.truncated, "\(count) bytes are needed and \(remaining) are left")
    }
  }

  /// Reads one byte.
  public mutating func u8() throws(CodecError) -> UInt8 {
    try need(1)
    place += 1
    return bytes[place - 1]
  }

  /// Reads two bytes, the lower first.
  public mutating func u16() throws(CodecError) -> UInt16 {
    try need(2)
    place += 2
    return UInt16(bytes[place - 2]) | UInt16(bytes[place - 1]) << 8
  }

  /// Reads four bytes, the lowest first.
  public mutating func u32() throws(CodecError) -> UInt32 {
    let low = try u16()
    return UInt32(low) | UInt32(try u16()) << 16
  }

  /// Reads eight bytes, the lowest first.
  public mutating func u64() throws(CodecError) -> UInt64 {
    let low = try u32()
    return UInt64(low) | UInt64(try u32()) << 32
  }

  /// Reads a signed number of two bytes, the lower first.
  public mutating func i16() throws(CodecError) -> Int16 { Int16(bitPattern: try u16()) }

  /// Reads a signed number of three bytes, the lowest first.
  public mutating func i24() throws(CodecError) -> Int32 {
    try need(3)
    place += 3
    let high = Int32(Int8(bitPattern: bytes[place - 1]))
    return high << 16 | Int32(bytes[place - 2]) << 8 | Int32(bytes[place - 3])
  }

  /// Reads a signed number of four bytes, the lowest first.
  public mutating func i32() throws(CodecError) -> Int32 { Int32(bitPattern: try u32()) }

  /// Reads so many bytes.
  public mutating func take(_ count: Int) throws(CodecError) -> ArraySlice<UInt8> {
    precondition(count >= 0, "\(count) bytes cannot be read")
    try need(count)
    place += count
    return bytes[(place - count)..<place]
  }

  /// Passes over so many bytes.
  public mutating func skip(_ count: Int) throws(CodecError) { _ = try take(count) }

  /// Throws `length` unless every byte was read.
  public func finish() throws(CodecError) {
    guard remaining == 0 else {
      throw error(.length, "\(remaining) bytes follow where the packet should end")
    }
  }
}
