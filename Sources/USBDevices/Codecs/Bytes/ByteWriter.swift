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

  /// Writes two bytes over those at a place.
  mutating func replace(u16 value: UInt16, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: value)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  /// Appends zeros up to a length.
  mutating func pad(to count: Int) {
    precondition(bytes.count <= count, "\(bytes.count) bytes do not fit into \(count)")
    while bytes.count < count { bytes.append(0) }
  }
}
