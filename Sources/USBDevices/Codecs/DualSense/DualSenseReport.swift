public import DeviceStreams

/// Input report 0x01 of a DualSense over USB, as far as it concerns motion.
public struct DualSenseReport: Sendable, Hashable {
  /// Counts the reports, modulo 256.
  public var sequence: UInt8
  /// The sensor's clock in 1/3 us, modulo 2^32: wraps each 1,431.7 s.
  public var ticks: UInt32
  /// Raw accelerometer x, y, z.
  public var acceleration: [Int16]
  /// Raw gyroscope around x (pitch), y (yaw), z (roll).
  public var rotation: [Int16]

  /// Reads a report of 64 bytes.
  ///
  /// - Throws: `length`, or `unknown` for another report, as the short one of Bluetooth is.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "DualSense report")
    guard bytes.count == DualSenseFacts.inputSize else {
      throw reader.error(.length, "\(bytes.count) bytes where a report over USB has 64")
    }
    let number = try reader.u8()
    guard number == 0x01 else {
      throw reader.error(.unknown, "report 0x\(String(number, radix: 16)) where 0x1 holds motion")
    }
    try reader.skip(6)
    sequence = try reader.u8()
    try reader.skip(8)
    rotation = []
    acceleration = []
    for _ in 0..<3 { rotation.append(try reader.i16()) }
    for _ in 0..<3 { acceleration.append(try reader.i16()) }
    ticks = try reader.u32()
  }
}
