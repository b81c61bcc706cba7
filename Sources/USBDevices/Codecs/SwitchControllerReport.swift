// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// Nintendo Switch Pro controller and Joy-Con.
///
/// Nothing here is from the maker: the facts are from the public notes dekuNukem/Nintendo_Switch_Reverse_Engineering
/// (bluetooth_hid_notes, rumble_data_table, spi_flash_notes, imu_sensor_notes, USB-HID-Notes), and from what the
/// kernel's driver for them says of its makers' trials (hid-nintendo).
package enum SwitchControllerFacts {
  /// A new rumble pattern is taken about so often, in seconds.
  package static let updateInterval = 0.015
  package static let reportSize = 64
  /// Steps of the counter in a second: one a sample, three a full report.
  ///
  /// So public programs read it (BetterJoy takes a step of more than three for lost samples); the kernel's driver says
  /// that its rate is not entirely clear, and counts reports by the host's time.
  package static let tickRate = 200.0
  package static let samplesPerReport = 3
  /// Where the factory's calibration of the inertial sensor lies in the flash memory.
  package static let factoryCalibration: UInt32 = 0x6020
  /// Where the user's lies, after two bytes that say whether there is one.
  package static let userCalibration: UInt32 = 0x8026
  package static let userCalibrationMark: [UInt8] = [0xb2, 0xa1]
  package static let calibrationSize = 24
}

/// What a Switch controller tells the host.
public enum SwitchControllerReport: Sendable, Hashable {
  /// The answer to a USB command but `status`, with its number.
  case usb(UInt8)
  /// The answer to `status`, which comes by itself too where something changes: what there is; `nil` for nothing, and
  /// for what is not known.
  case connected(Kind?)
  case answer(Answer)
  case motion(Motion)

  /// What a controller is.
  public enum Kind: UInt8, Sendable, Hashable {
    case leftJoyCon = 1
    case rightJoyCon = 2
    case proController = 3
  }

  /// The answer to a subcommand.
  public struct Answer: Sendable, Hashable {
    package var timer: UInt8
    package var acknowledged: Bool
    package var number: UInt8
    package var data: [UInt8]

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
    package var timer: UInt8
    /// Whether the controller takes the next rumble pattern: the lower bits of byte 12.
    package var vibration: UInt8
    /// Three samples, 5 ms apart, oldest first: accelerometer x, y, z, then gyroscope x, y, z.
    package var samples: [[Int16]]
  }

  /// Reads an input report; what follows its own bytes is padding; throws `truncated` or `unknown`.
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
        samples.append(try reader.i16s(6))
      }
      self = .motion(Motion(timer: timer, vibration: vibration & 0x0f, samples: samples))
    default: throw reader.error(.unknown, "report 0x\(String(number, radix: 16))")
    }
  }
}

package enum SwitchControllerCommand: Sendable, Hashable {
  /// Over USB only, before anything else: handshake, 3 Mbit/s, handshake, then USB instead of Bluetooth.
  case usb(USBCommand)
  case rumble(left: SwitchRumble, right: SwitchRumble)
  case subcommand(Subcommand, left: SwitchRumble, right: SwitchRumble)

  package enum USBCommand: UInt8, Sendable, Hashable, CaseIterable {
    case status = 0x01
    case handshake = 0x02
    /// Sets the rate between the controller's chips to 3 Mbit/s.
    case fastRate = 0x03
    case stay = 0x04
    case release = 0x05

    /// The start in its order, each answered before the next but `stay`, which nothing answers.
    package static let start: [USBCommand] = [.handshake, .fastRate, .handshake, .stay]
  }

  package enum Subcommand: Sendable, Hashable {
    /// Full reports with the inertial sensor, one each 15 ms.
    case fullReports
    case motion(Bool)
    /// +-8 g and +-2000 deg/s at 208 Hz, filters at 100 Hz and 208 Hz.
    case motionRange
    case vibration(Bool)
    case readFlash(address: UInt32, count: UInt8)

    package var number: UInt8 {
      switch self {
      case .fullReports: 0x03
      case .readFlash: 0x10
      case .motion: 0x40
      case .motionRange: 0x41
      case .vibration: 0x48
      }
    }

    var arguments: [UInt8] {
      switch self {
      case .fullReports: [0x30]
      case .motion(let on), .vibration(let on): [on ? 1 : 0]
      case .motionRange: [0x03, 0x00, 0x00, 0x01]
      case .readFlash(let address, let count):
        (0..<4).map { UInt8(truncatingIfNeeded: address >> ($0 * 8)) } + [min(count, 29)]
      }
    }
  }

  /// The bytes of the output report as the descriptor has it over USB: padded to 64.
  package func report(counter: UInt8) -> [UInt8] {
    let bytes = bytes(counter: counter)
    return bytes + [UInt8](repeating: 0, count: SwitchControllerFacts.reportSize - bytes.count)
  }

  package func bytes(counter: UInt8) -> [UInt8] {
    switch self {
    case .usb(let command): [0x80, command.rawValue]
    case .rumble(let left, let right): [0x10, counter & 0x0f] + left.bytes + right.bytes
    case .subcommand(let subcommand, let left, let right):
      [0x01, counter & 0x0f] + left.bytes + right.bytes + [subcommand.number]
        + subcommand.arguments
    }
  }
}

/// Follows the counter of a Switch controller's reports, which wraps each 1.28 s.
///
/// The host's clock says how often it wrapped where reports stayed away for longer, as long as it is right within half
/// a wrap.
package struct SwitchControllerTimer: Sendable {
  private var latest: (ticks: Int64, nanoseconds: UInt64)?

  package init() {}

  /// The counter of a report without wraps, and whether a whole report before it was lost.
  package mutating func note(
    _ timer: UInt8, at nanoseconds: UInt64
  ) -> (ticks: Int64, isAfterLoss: Bool) {
    guard let last = latest else {
      latest = (Int64(timer), nanoseconds)
      return (Int64(timer), false)
    }
    let passed = Double(nanoseconds) - Double(last.nanoseconds)
    let expected =
      last.ticks + Int64((passed * 1e-9 * SwitchControllerFacts.tickRate).rounded())
    let ticks = expected + Int64(Int8(truncatingIfNeeded: Int64(timer) - expected))
    if ticks > last.ticks { latest = (ticks, nanoseconds) }
    let step = ticks - last.ticks
    return (ticks, step >= Int64(2 * SwitchControllerFacts.samplesPerReport))
  }
}

/// One reading of an accelerometer, and of a gyroscope beside it, in SI units.
public struct MotionSample: Sendable, Hashable {
  /// m/s2 along x, y, z.
  public var acceleration: [Double]
  /// rad/s around x, y, z; empty without a gyroscope.
  public var rotation: [Double] = []

  /// Standard gravity in m/s2.
  package static let gravity = 9.80665
}

/// The constants of a controller's inertial sensor.
public struct SwitchControllerCalibration: Sendable, Hashable {
  /// Raw accelerometer value of no acceleration, as stored; part of the scale, not taken off the samples.
  package var accelerationOrigin: [Int16]
  /// Raw accelerometer value that stands for 4 g.
  package var accelerationScale: [Int16]
  package var rotationOrigin: [Int16]
  /// Raw gyroscope value that stands for 936 deg/s.
  package var rotationScale: [Int16]

  /// The sensor's own scale at +-8 g and +-2000 deg/s.
  package static let nominal = SwitchControllerCalibration(
    accelerationOrigin: [0, 0, 0], accelerationScale: [16384, 16384, 16384],
    rotationOrigin: [0, 0, 0], rotationScale: [13371, 13371, 13371])
}

extension SwitchControllerCalibration {
  /// Reads the 24 bytes of the flash memory.
  ///
  /// - Throws: `length`, or `range` where the memory is erased or a scale is not above its origin.
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "Switch calibration")
    guard bytes.count == SwitchControllerFacts.calibrationSize else {
      throw reader.error(.length, "\(bytes.count) bytes where a calibration has 24")
    }
    self.init(
      accelerationOrigin: try reader.i16s(3), accelerationScale: try reader.i16s(3),
      rotationOrigin: try reader.i16s(3), rotationScale: try reader.i16s(3))
    for axis in 0..<3 {
      guard Int(accelerationScale[axis]) - Int(accelerationOrigin[axis]) > 1000,
        Int(rotationScale[axis]) - Int(rotationOrigin[axis]) > 1000
      else {
        throw CodecError(
          .range, packet: "Switch calibration", offset: axis * 2,
          problem: "axis \(axis) has no scale: the memory is erased; use the nominal one")
      }
    }
  }

  /// A sample in SI units.
  ///
  /// Acceleration: raw * 4 g / (scale - origin); rotation: (raw - origin) * 936 deg/s / (scale - origin)
  /// (imu_sensor_notes).
  public func sample(_ raw: [Int16], isRight: Bool = false) -> MotionSample {
    precondition(raw.count == 6, "a sample has 6 numbers, not \(raw.count)")
    var sample = MotionSample(acceleration: [], rotation: [])
    for axis in 0..<3 {
      let sign = isRight && axis > 0 ? -1.0 : 1.0
      let accelerationSpan = Double(Int(accelerationScale[axis]) - Int(accelerationOrigin[axis]))
      sample.acceleration.append(
        sign * Double(raw[axis]) * 4 * MotionSample.gravity / accelerationSpan)
      let rotationSpan = Double(Int(rotationScale[axis]) - Int(rotationOrigin[axis]))
      let counts = Double(Int(raw[axis + 3]) - Int(rotationOrigin[axis]))
      sample.rotation.append(sign * counts * 936 / rotationSpan * .pi / 180)
    }
    return sample
  }
}
