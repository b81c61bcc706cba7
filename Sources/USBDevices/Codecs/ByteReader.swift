// SPDX-License-Identifier: Apache-2.0

package import DeviceStreams

/// Reads numbers one after the other from the bytes of a packet, the lowest byte first.
///
/// A value: copying it keeps the place. Every read that would pass the end throws `truncated`.
package struct ByteReader: Sendable {
  private let bytes: [UInt8]
  private let range: Range<Int>
  private var place: Int
  package let packet: String

  package init(_ bytes: [UInt8], as packet: String) {
    self.init(bytes, range: 0..<bytes.count, as: packet)
  }

  package init(_ bytes: [UInt8], range: Range<Int>, as packet: String) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count,
      "\(range) is not within \(bytes.count) bytes")
    self.bytes = bytes
    self.packet = packet
    self.range = range
    place = range.lowerBound
  }

  package var offset: Int { place - range.lowerBound }

  package var remaining: Int { range.upperBound - place }

  package func error(_ code: CodecError.Code, _ problem: String) -> CodecError {
    CodecError(code, packet: packet, offset: offset, problem: problem)
  }

  private func need(_ count: Int) throws(CodecError) {
    guard count <= remaining else {
      throw error(.truncated, "\(count) bytes are needed and \(remaining) are left")
    }
  }

  package mutating func u8() throws(CodecError) -> UInt8 {
    try need(1)
    place += 1
    return bytes[place - 1]
  }

  package mutating func u16() throws(CodecError) -> UInt16 {
    try need(2)
    place += 2
    return UInt16(bytes[place - 2]) | UInt16(bytes[place - 1]) << 8
  }

  package mutating func u32() throws(CodecError) -> UInt32 {
    let low = try u16()
    return UInt32(low) | UInt32(try u16()) << 16
  }

  package mutating func u64() throws(CodecError) -> UInt64 {
    let low = try u32()
    return UInt64(low) | UInt64(try u32()) << 32
  }

  package mutating func i16() throws(CodecError) -> Int16 { Int16(bitPattern: try u16()) }

  package mutating func i24() throws(CodecError) -> Int32 {
    try need(3)
    place += 3
    let high = Int32(Int8(bitPattern: bytes[place - 1]))
    return high << 16 | Int32(bytes[place - 2]) << 8 | Int32(bytes[place - 3])
  }

  package mutating func i32() throws(CodecError) -> Int32 { Int32(bitPattern: try u32()) }

  package mutating func take(_ count: Int) throws(CodecError) -> ArraySlice<UInt8> {
    precondition(count >= 0, "\(count) bytes cannot be read")
    try need(count)
    place += count
    return bytes[(place - count)..<place]
  }

  mutating func i16s(_ count: Int) throws(CodecError) -> [Int16] {
    var numbers: [Int16] = []
    for _ in 0..<count { numbers.append(try i16()) }
    return numbers
  }

  package mutating func skip(_ count: Int) throws(CodecError) { _ = try take(count) }

  package func finish() throws(CodecError) {
    guard remaining == 0 else {
      throw error(.length, "\(remaining) bytes follow where the packet should end")
    }
  }
}

/// Appends numbers to the bytes of a packet, lowest byte first.
struct ByteWriter {
  private(set) var bytes: [UInt8]

  init(capacity: Int = 64) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  mutating func u8(_ value: UInt8) { bytes.append(value) }

  mutating func u16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }

  mutating func u24(_ value: UInt32) {
    u16(UInt16(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 16))
  }

  mutating func u32(_ value: UInt32) {
    u16(UInt16(truncatingIfNeeded: value))
    u16(UInt16(truncatingIfNeeded: value >> 16))
  }

  mutating func u64(_ value: UInt64) {
    u32(UInt32(truncatingIfNeeded: value))
    u32(UInt32(truncatingIfNeeded: value >> 32))
  }

  mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  mutating func replace(u16 value: UInt16, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: value)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  mutating func pad(to count: Int) {
    precondition(bytes.count <= count, "\(bytes.count) bytes do not fit into \(count)")
    bytes += repeatElement(0, count: count - bytes.count)
  }
}
