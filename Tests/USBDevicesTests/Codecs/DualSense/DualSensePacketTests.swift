// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Testing

@testable import USBDevices

/// Reports as the public descriptions lay them out: the kernel's names of the fields in quotes.
struct DualSensePacketTests {
  @Test func `rumble sets both flags and two motors, the right one first`() {
    let bytes = DualSenseCommand.rumble(left: 0x40, right: 0x80).bytes
    // "valid_flag0" bits 0 and 1, "motor_right", "motor_left".
    #expect(bytes.prefix(5) == [0x02, 0x03, 0x00, 0x80, 0x40])
    #expect(bytes.count == 63)
    #expect(bytes.dropFirst(5).allSatisfy { $0 == 0 })
  }

  @Test func `newer firmware has its flag at byte 39`() {
    let bytes = DualSenseCommand.rumble2(left: 1, right: 2).bytes
    #expect(bytes.prefix(5) == [0x02, 0x02, 0x00, 2, 1])
    // "valid_flag2" bit 2, after 38 bytes of the common part.
    #expect(bytes[39] == 0x04 && bytes.count == 63)
  }

  @Test func `haptics leave no flag of rumble`() {
    #expect(DualSenseCommand.haptics.bytes == [0x02] + Array(repeating: 0, count: 62))
  }

  @Test func `an input report holds motion and its time`() throws {
    var bytes = hex("01 80 7f 80 7f 00 00 2a 08 00 00 00 00 00 00 00")
    bytes += hex("ff ff 02 00 00 80 00 20 00 e0 ff 7f 15 cd 5b 07")
    bytes += Array(repeating: 0, count: 32)
    let report = try DualSenseReport(bytes)
    #expect(report.sequence == 0x2a)
    #expect(report.rotation == [-1, 2, -32768])
    #expect(report.acceleration == [8192, -8192, 32767])
    #expect(report.ticks == 123_456_789)
    let sample = DualSenseCalibration.nominalSample(report)
    #expect(abs(sample.acceleration[0] - 9.80665) < 1e-9)
  }

  @Test func `other reports and lengths are refused`() {
    #expect(throws: CodecError.self) { try DualSenseReport(hex("01 80 7f")) }
    #expect(throws: CodecError.self) {
      try DualSenseReport([0x31] + Array(repeating: 0, count: 63))
    }
    #expect(throws: CodecError.self) {
      try DualSenseReport([0x01] + Array(repeating: 0, count: 77))
    }
  }

  /// Bias, gyroscope, speeds of 540 deg/s, then +1 g and -1 g of each axis.
  private static let calibration =
    "05 02 00 fe ff 00 00 90 22 70 dd 90 22 70 dd 90 22 70 dd 1c 02 1c 02"
    + " 10 20 10 e0 00 20 00 e0 f0 1f f0 df 06 00 00 00 00 00"

  @Test func `a g is a g on every axis, and rest is rest`() throws {
    let calibration = try DualSenseCalibration(hex(Self.calibration))
    let report = try DualSenseReport(
      hex("01") + Array(repeating: 0, count: 15) + hex("92 22 fe ff 00 00 10 20 00 00 f0 df")
        + Array(repeating: 0, count: 36))
    let sample = calibration.sample(report)
    #expect(abs(sample.acceleration[0] - 9.80665) < 1e-9)
    #expect(abs(sample.acceleration[1]) < 1e-9)
    #expect(abs(sample.acceleration[2] + 9.80665) < 1e-9)
    // At the reference count the reference speed, but for the bias of 2 counts.
    #expect(abs(sample.rotation[0] * 180 / .pi - 540 * 8848 / 8848.0) < 0.01)
    #expect(sample.rotation[1] == 0)
  }

  @Test func `a calibration without span is refused`() {
    let bytes = [0x05] + [UInt8](repeating: 0, count: 40)
    let error = #expect(throws: CodecError.self) { try DualSenseCalibration(bytes) }
    #expect(error?.code == .range)
    #expect(throws: CodecError.self) { try DualSenseCalibration(Array(bytes.dropLast())) }
    #expect(throws: CodecError.self) { try DualSenseCalibration([0x06] + bytes.dropFirst()) }
  }
}

struct DualSenseFirmwareTests {
  private func report(_ update: UInt16) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    bytes[0] = 0x20
    bytes[44] = UInt8(update & 0xff)
    bytes[45] = UInt8(update >> 8)
    return bytes
  }

  @Test func `rumble has a flag of its own from 2 point 21 on`() throws {
    #expect(try DualSenseFirmware(report(0x0215)).hasLaterRumble)
    #expect(try !DualSenseFirmware(report(0x0214)).hasLaterRumble)
    #expect(try DualSenseFirmware(report(0x0300)).update == 0x0300)
  }

  @Test func `another report and a cut one are refused`() {
    #expect(throws: CodecError.self) { try DualSenseFirmware(Array(report(0x0215).dropLast())) }
    #expect(throws: CodecError.self) { try DualSenseFirmware([5] + report(0x0215).dropFirst()) }
  }
}
