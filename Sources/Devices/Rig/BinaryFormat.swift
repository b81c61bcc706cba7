/// How a breakout's binary packets are laid out.
public struct BinaryFormat: Sendable, Hashable {
  /// How a number is written.
  public enum Number: Sendable, Hashable {
    /// One byte, not negative.
    case u8
    /// Two bytes, not negative.
    case u16
    /// Four bytes, not negative.
    case u32
    /// Two bytes, signed.
    case i16
    /// Three bytes, signed.
    case i24
    /// Four bytes, signed.
    case i32
    /// Four bytes, IEEE 754.
    case float32

    /// Bytes of the number.
    public var byteCount: Int {
      switch self {
      case .u8: 1
      case .u16, .i16: 2
      case .i24: 3
      case .u32, .i32, .float32: 4
      }
    }
  }

  /// What follows the numbers, over all bytes before it.
  public enum Check: Sendable, Hashable {
    /// Nothing: the magic bytes of the next packet have to follow.
    case none
    /// The sum of the bytes, modulo 256.
    case sum8
    /// The exclusive or of the bytes.
    case xor8
    /// CRC-16/IBM-3740 (polynomial 0x1021, begun with 0xffff), in the numbers' byte order.
    case crc16
    /// CRC-32 of Ethernet, in the numbers' byte order.
    case crc32

    /// Bytes of the check.
    public var byteCount: Int {
      switch self {
      case .none: 0
      case .sum8, .xor8: 1
      case .crc16: 2
      case .crc32: 4
      }
    }
  }

  /// A number and what it is.
  public struct Field: Sendable, Hashable {
    /// How it is written.
    public var number: Number
    /// What it is.
    public var meaning: SensorField

    /// Makes a field.
    public init(_ number: Number, _ meaning: SensorField) {
      self.number = number
      self.meaning = meaning
    }
  }

  /// The bytes that every packet begins with; one at least.
  public var magic: [UInt8]
  /// The numbers after them.
  public var fields: [Field]
  /// What ends the packet.
  public var check: Check
  /// Whether numbers have their highest byte first.
  public var bigEndian: Bool
  /// m/s2 of the number 1 in an axis' field.
  public var scale: Double

  /// Makes a layout.
  public init(
    magic: [UInt8], fields: [Field], check: Check, bigEndian: Bool = false, scale: Double
  ) {
    precondition(!magic.isEmpty, "packets without magic bytes are not found again")
    precondition(fields.contains { $0.meaning.isAxis }, "a stream without axes has no samples")
    self.magic = magic
    self.fields = fields
    self.check = check
    self.bigEndian = bigEndian
    self.scale = scale
  }

  /// Bytes of a packet.
  public var size: Int {
    magic.count + fields.reduce(0) { $0 + $1.number.byteCount } + check.byteCount
  }

  /// WitMotion's acceleration packet: `55 51`, three axes of +-16 g, temperature, sum (the WT901's protocol).
  public static let witMotion = BinaryFormat(
    magic: [0x55, 0x51],
    fields: [
      Field(.i16, .axis(0)), Field(.i16, .axis(1)), Field(.i16, .axis(2)), Field(.i16, .other),
    ], check: .sum8, scale: 16 * 9.80665 / 32768)
}
