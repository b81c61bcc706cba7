/// Why bytes are not the packet they were read as, or a value cannot be sent.
public struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is: enough to choose between waiting, skipping and giving up.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case truncated
    case length
    /// The check sum does not fit: skip, and count.
    case checksum
    case version
    case unknown
    /// A number out of the range that the device takes or the data sheet names.
    case range
    case refused
  }

  /// What kind of fault it is.
  public let code: Code
  /// What was being read or written, as its data sheet names it.
  public let packet: String
  /// The place of the fault in the packet, in bytes from its start.
  public let offset: Int
  /// One clause with the values: what was found and what was expected.
  public let problem: String

  package init(_ code: Code, packet: String, offset: Int, problem: String) {
    self.code = code
    self.packet = packet
    self.offset = offset
    self.problem = problem
  }

  /// The packet, the place and the problem as one sentence.
  public var description: String { "\(packet), byte \(offset): \(problem)" }
}

/// The check sum of Ethernet, zip and PNG.
///
/// CRC-32/ISO-HDLC: polynomial 0x04C11DB7, bits reflected (0xEDB88320), register begun with all ones and
/// inverted at the end; of the ASCII text `123456789` it is 0xCBF43926. Source: ITU-T V.42, 8.1.1.6.2.
public struct CRC32: Sendable {
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
