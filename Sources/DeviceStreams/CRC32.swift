/// The check sum of Ethernet, zip and PNG.
///
/// CRC-32/ISO-HDLC: polynomial 0x04C11DB7, bits reflected (0xEDB88320), register begun with all ones and
/// inverted at the end; of the ASCII text `123456789` it is 0xCBF43926. Source: ITU-T V.42, 8.1.1.6.2.
public struct CRC32: Sendable {
  /// The register; begun with all ones.
  @usableFromInline var register: UInt32 = 0xffff_ffff

  /// Begins a sum.
  @inlinable public init() {}

  /// Adds bytes to the sum.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    var register = register
    let table = Self.table
    for byte in bytes {
      register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
    }
    self.register = register
  }

  /// The sum of what was added.
  @inlinable public var value: UInt32 { ~register }

  /// The sum of some bytes.
  @inlinable
  public static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum = CRC32()
    sum.add(bytes)
    return sum.value
  }

  /// What each value of a byte does to the register.
  @usableFromInline static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xedb8_8320
    }
  }
}
