/// Microchip MCP2221A, a USB-I2C bridge over HID reports; data sheet DS20005565.
///
/// Full speed, one report of 64 bytes each way a millisecond: a write with its status takes 2 to 4 ms.
/// Replies carry no tag, only the command's byte: one exchange at a time.
public enum MCP2221AFacts {
  /// Microchip.
  public static let vendor: UInt16 = 0x04d8
  /// MCP2221 and MCP2221A.
  public static let product: UInt16 = 0x00dd
  /// Bytes of every report.
  public static let reportSize = 64
  /// Data bytes of a report.
  public static let dataSize = 60
  /// The clock that the bus is divided from, in hertz.
  public static let clock = 12_000_000

  /// What the engine does, in byte 8 of a status and byte 2 of an I2C reply (table 3-2 and the reply's
  /// "internal I2C engine state").
  public enum Engine {
    /// Nothing.
    public static let idle: UInt8 = 0x00
    /// The start condition timed out.
    public static let startTimeout: UInt8 = 0x12
    /// The repeated start timed out.
    public static let restartTimeout: UInt8 = 0x17
    /// The address timed out.
    public static let addressTimeout: UInt8 = 0x23
    /// Nobody acknowledged the address.
    public static let addressNotAcknowledged: UInt8 = 0x25
    /// A byte written timed out.
    public static let writeTimeout: UInt8 = 0x44
    /// All bytes are written and the bus is held for a repeated start.
    public static let writtenWithoutStop: UInt8 = 0x45
    /// A byte read timed out.
    public static let readTimeout: UInt8 = 0x52
    /// The stop condition timed out.
    public static let stopTimeout: UInt8 = 0x62
  }
}
