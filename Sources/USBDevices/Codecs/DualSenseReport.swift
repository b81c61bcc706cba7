// SPDX-License-Identifier: Apache-2.0

public import DeviceStreams

/// Sony DualSense over USB, its HID interface; the voice coils' sound interface is ALSA's.
///
/// Facts are those of the public descriptions of its reports. Over USB reports carry no check sum; over
/// Bluetooth they end with a CRC-32, and since Bluetooth is not measured here that form is not written.
package enum DualSenseFacts {
  package static let inputSize = 64
  package static let outputSize = 63
  package static let calibrationReport: UInt8 = 0x05
  package static let calibrationSize = 41
  package static let firmwareReport: UInt8 = 0x20
  package static let firmwareSize = 64
  /// How often rumble is given a new strength, in seconds: two reports of the host's.
  package static let rumbleInterval = 0.008
  /// Steps of the time stamp in a second: 1/3 us each.
  package static let tickRate = 3_000_000.0
  /// Steps of a g after calibration.
  package static let accelerationResolution = 8192.0
  /// Steps of a deg/s after calibration.
  package static let rotationResolution = 1024.0
}

/// Input report 0x01 of a DualSense over USB, as far as it concerns motion.
public struct DualSenseReport: Sendable, Hashable {
  package var sequence: UInt8
  /// The sensor's clock in 1/3 us, modulo 2^32: wraps each 1,431.7 s.
  package var ticks: UInt32
  package var acceleration: [Int16]
  /// Raw gyroscope around x (pitch), y (yaw), z (roll).
  package var rotation: [Int16]

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
    rotation = try reader.i16s(3)
    acceleration = try reader.i16s(3)
    ticks = try reader.u32()
  }
}

package enum DualSenseCommand: Sendable, Hashable {
  /// Classic rumble by two numbers; the sound interface's channels 3 and 4 are then not heard.
  case rumble(left: UInt8, right: UInt8)
  /// Classic rumble as firmware from update version 2.21 (0x0215) on has it: a flag of its own.
  case rumble2(left: UInt8, right: UInt8)
  /// The actuators belong to the sound interface: neither flag of rumble, both numbers 0.
  case haptics

  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: DualSenseFacts.outputSize)
    writer.u8(0x02)
    switch self {
    // Bit 0 compatible vibration, bit 1 rumble instead of haptics.
    case .rumble(let left, let right): writer.append([0x03, 0, right, left])
    case .rumble2(let left, let right): writer.append([0x02, 0, right, left])
    case .haptics: writer.append([0, 0, 0, 0])
    }
    writer.pad(to: 39)
    if case .rumble2 = self { writer.u8(0x04) }
    writer.pad(to: DualSenseFacts.outputSize)
    return writer.bytes
  }
}

/// The firmware of a DualSense: feature report 0x20, as far as rumble depends on it.
public struct DualSenseFirmware: Sendable, Hashable {
  /// The version of what it can do, major number in the upper byte: 0x0215 is 2.21.
  package var update: UInt16

  /// Reads the 64 bytes of the report; throws `length`, or `unknown` for another report.
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

  package var hasLaterRumble: Bool { update >= 0x0215 }
}

/// The constants of a DualSense's inertial sensor: feature report 0x05.
public struct DualSenseCalibration: Sendable, Hashable {
  /// Raw accelerometer values at +1 g, an axis each.
  package var plus: [Int16]
  package var minus: [Int16]
  /// Raw gyroscope values at rest.
  package var rotationBias: [Int16]
  /// Raw gyroscope values at the reference speed, one way.
  package var rotationPlus: [Int16]
  package var rotationMinus: [Int16]
  /// The reference speeds in deg/s, both ways.
  package var speeds: [Int16]

  /// Reads the 41 bytes of the report.
  ///
  /// - Throws: `length`, `unknown`, or `range` where an axis has no span (such controllers exist: use the
  ///   nominal scale).
  public init(_ bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes, as: "DualSense calibration")
    guard bytes.count == DualSenseFacts.calibrationSize else {
      throw reader.error(.length, "\(bytes.count) bytes where the report has 41")
    }
    guard try reader.u8() == DualSenseFacts.calibrationReport else {
      throw reader.error(.unknown, "report 0x\(String(bytes[0], radix: 16)) where 0x5 is wanted")
    }
    let values = try reader.i16s(17)
    rotationBias = Array(values[0..<3])
    rotationPlus = [values[3], values[5], values[7]]
    rotationMinus = [values[4], values[6], values[8]]
    speeds = [values[9], values[10]]
    plus = [values[11], values[13], values[15]]
    minus = [values[12], values[14], values[16]]
    for axis in 0..<3 {
      guard Int(plus[axis]) > Int(minus[axis]), rotationSpan(axis) > 0 else {
        throw CodecError(
          .range, packet: "DualSense calibration", offset: 23 + 4 * axis,
          problem: "axis \(axis) has no span between +1 g and -1 g, or no rotation")
      }
    }
  }

  private func rotationSpan(_ axis: Int) -> Int {
    abs(Int(rotationPlus[axis]) - Int(rotationBias[axis]))
      + abs(Int(rotationMinus[axis]) - Int(rotationBias[axis]))
  }

  /// A report in SI units: half the span of +1 g and -1 g is a g, their mean is zero.
  public func sample(_ report: DualSenseReport) -> MotionSample {
    var sample = MotionSample(acceleration: [], rotation: [])
    for axis in 0..<3 {
      let span = Double(Int(plus[axis]) - Int(minus[axis]))
      let middle = Double(Int(plus[axis]) + Int(minus[axis])) / 2
      sample.acceleration.append(
        (Double(report.acceleration[axis]) - middle) * 2 / span * MotionSample.gravity)
      let speed = Double(Int(speeds[0]) + Int(speeds[1]))
      let counts = Double(Int(report.rotation[axis]) - Int(rotationBias[axis]))
      sample.rotation.append(counts * speed / Double(rotationSpan(axis)) * .pi / 180)
    }
    return sample
  }

  /// A report by the sensor's nominal scale: 8192 steps a g, 1024 steps a deg/s.
  package static func nominalSample(_ report: DualSenseReport) -> MotionSample {
    MotionSample(
      acceleration: report.acceleration.map {
        Double($0) / DualSenseFacts.accelerationResolution * MotionSample.gravity
      },
      rotation: report.rotation.map {
        Double($0) / DualSenseFacts.rotationResolution * .pi / 180
      })
  }
}
