public import DeviceStreams

/// What a Switch controller tells the host.
public enum SwitchControllerReport: Sendable, Hashable {
  /// The answer to a USB command but `status`, with its number.
  case usb(UInt8)
  /// The answer to `status`, which comes by itself too where something changes: what there is; `nil` for nothing, and
  /// for what is not known.
  case connected(Kind?)
  /// The answer to a subcommand.
  case answer(Answer)
  /// A full report: three samples of the inertial sensor.
  case motion(Motion)

  /// What a controller is.
  public enum Kind: UInt8, Sendable, Hashable {
    /// A left Joy-Con.
    case leftJoyCon = 1
    /// A right Joy-Con.
    case rightJoyCon = 2
    /// A Pro controller.
    case proController = 3
  }

  /// The answer to a subcommand.
  public struct Answer: Sendable, Hashable {
    /// Counts the reports, modulo 256.
    public var timer: UInt8
    /// Whether the subcommand was obeyed.
    public var acknowledged: Bool
    /// Which one it was.
    public var number: UInt8
    /// What it brought.
    public var data: [UInt8]

    /// What a read of the flash memory brought.
    ///
    /// - Throws: `unknown` where this answers something else, `truncated` where it is short.
    public func flash() throws(CodecError) -> (address: UInt32, bytes: [UInt8]) {
      var reader = ByteReader(data, as: "Switch flash answer")
      guard number == 0x10 else {
        throw reader.error(.unknown, "the answer to subcommand 0x\(String(number, radix: 16))")
      }
      let address = try reader.u32()
      let count = Int(try reader.u8())
      return (address, Array(try reader.take(count)))
    }
  }

  /// A full report.
  public struct Motion: Sendable, Hashable {
    /// Counts, modulo 256, about once in 5 ms: three a report where none is lost.
    public var timer: UInt8
    /// Whether the controller takes the next rumble pattern: the lower bits of byte 12.
    public var vibration: UInt8
    /// Three samples, 5 ms apart, oldest first: accelerometer x, y, z, then gyroscope x, y, z.
    public var samples: [[Int16]]
  }

  /// Reads an input report; what follows its own bytes is padding.
  ///
  /// - Throws: `truncated` or `unknown`.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "Switch report")
    let number = try reader.u8()
    switch number {
    case 0x81:
      let command = try reader.u8()
      guard command == SwitchControllerCommand.USBCommand.status.rawValue else {
        self = .usb(command)
        return
      }
      let isThere = try reader.u8() == 0
      let kind = Kind(rawValue: try reader.u8())
      self = .connected(isThere ? kind : nil)
    case 0x21:
      let timer = try reader.u8()
      try reader.skip(11)
      let acknowledge = try reader.u8()
      let subcommand = try reader.u8()
      self = .answer(
        Answer(
          timer: timer, acknowledged: acknowledge & 0x80 != 0, number: subcommand,
          data: Array(try reader.take(min(35, reader.remaining)))))
    case 0x30:
      let timer = try reader.u8()
      try reader.skip(10)
      let vibration = try reader.u8()
      var samples: [[Int16]] = []
      for _ in 0..<SwitchControllerFacts.samplesPerReport {
        var sample: [Int16] = []
        for _ in 0..<6 { sample.append(try reader.i16()) }
        samples.append(sample)
      }
      self = .motion(Motion(timer: timer, vibration: vibration & 0x0f, samples: samples))
    default: throw reader.error(.unknown, "report 0x\(String(number, radix: 16))")
    }
  }
}
