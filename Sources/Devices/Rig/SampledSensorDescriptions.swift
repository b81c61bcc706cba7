// SPDX-License-Identifier: Apache-2.0

/// A number of a sample, as a sensor with a clock of its own sends it.
public enum SensorField: Sendable, Hashable {
  /// Counts the samples, modulo 2^bits.
  case counter(bits: Int)
  /// The sensor's clock in steps of so many a second, modulo 2^bits.
  case ticks(rate: Double, bits: Int)
  /// An axis: 0, 1, 2 for x, y, z.
  case axis(Int)
  case other
}

extension SensorField {
  /// Whether it is an axis.
  public var isAxis: Bool { if case .axis = self { true } else { false } }
}

/// How a breakout's binary packets are laid out.
public struct BinaryFormat: Sendable, Hashable {
  /// How a number is written.
  public enum Number: String, Sendable, Hashable, CaseIterable {
    case u8
    case u16
    case u32
    case i16
    case i24
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
  public enum Check: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the magic bytes of the next packet have to follow.
    case none
    /// The sum of the bytes, modulo 256.
    case sum8
    /// The exclusive or of the bytes.
    case xor8
    /// CRC-16/IBM-3740 (polynomial 0x1021, begun with 0xffff), in the numbers' byte order.
    case crc16
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

/// A MEMS breakout on a serial port as a rig file asks for it: its own program sends a line or a packet
/// for each sample.
public struct SerialDescription: Sendable, Equatable {
  /// How samples are written.
  package enum Content: Sendable, Equatable {
    /// A line of decimal numbers a sample; `scale` is m/s2 of the number 1.
    case lines([SensorField], scale: Double)
    case packets(BinaryFormat)

    /// What the numbers of a sample are, in the order they come.
    package var fields: [SensorField] {
      switch self {
      case .lines(let fields, _): fields
      case .packets(let format): format.fields.map(\.meaning)
      }
    }
  }

  /// The port: `/dev/ttyACM0`, or better `/dev/serial/by-id/...`, which stays.
  package var path: String
  /// Bits a second of a port that has wires; USB-CDC passes over it.
  package var baud: Int
  /// How samples are written.
  package var content: Content
  /// Samples a second by the breakout's own clock.
  package var sampleRate: Double
  /// How long no sample may come, in seconds.
  package var timeout: Double

  /// Speeds that Linux knows, in bits a second.
  package static let bauds = [
    9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 921_600, 1_000_000,
    1_500_000, 2_000_000, 3_000_000, 4_000_000,
  ]

  package init(
    path: String, baud: Int = 115_200, content: Content, sampleRate: Double, timeout: Double = 3
  ) {
    self.path = path
    self.baud = baud
    self.content = content
    self.sampleRate = sampleRate
    self.timeout = timeout
  }
}

/// An accelerometer of the kernel's Industrial I/O as a rig file asks for it.
public struct IIODescription: Sendable, Equatable {
  /// The device: its name or label as sysfs has it, or `iio:device0`, whose number may change.
  package var sensor: String
  /// The trigger that takes the samples; the one that is set, or the device's own, for `nil`.
  package var trigger: String?
  /// Samples a second that the device or its trigger is asked for; as it is set for `nil`.
  package var samplingFrequency: Double?
  /// Samples a second by this computer's clock, where they are not what the device says.
  package var sampleRate: Double?
  /// How long no sample may come, in seconds.
  package var timeout: Double

  package init(
    sensor: String, trigger: String? = nil, samplingFrequency: Double? = nil,
    sampleRate: Double? = nil, timeout: Double = 1
  ) {
    self.sensor = sensor
    self.trigger = trigger
    self.samplingFrequency = samplingFrequency
    self.sampleRate = sampleRate
    self.timeout = timeout
  }
}
