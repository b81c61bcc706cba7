public import DeviceStreams

/// The firmware of a DualSense: feature report 0x20, as far as rumble depends on it.
public struct DualSenseFirmware: Sendable, Hashable {
  /// The version of what it can do, major number in the upper byte: 0x0215 is 2.21.
  public var update: UInt16

  /// Reads the 64 bytes of the report.
  ///
  /// - Throws: `length`, or `unknown` for another report.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "DualSense firmware")
    guard bytes.count == DualSenseFacts.firmwareSize else {
      throw reader.error(.length, "\(bytes.count) bytes where the report has 64")
    }
    guard try reader.u8() == DualSenseFacts.firmwareReport else {
      throw reader.error(.unknown, "report 0x\(String(bytes[0], radix: 16)) where 0x20 is wanted")
    }
    try reader.skip(43)
    update = try reader.u16()
  }

  /// Whether rumble has a flag of its own, as from 2.21 on.
  public var hasLaterRumble: Bool { update >= 0x0215 }
}
