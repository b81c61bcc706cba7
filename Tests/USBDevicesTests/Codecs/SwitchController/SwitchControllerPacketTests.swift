// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Testing

@testable import USBDevices

/// Reports as bluetooth_hid_notes.md and USB-HID-Notes.md of the public notes lay them out.
struct SwitchControllerPacketTests {
  @Test func `the start over USB is four commands`() {
    let start = SwitchControllerCommand.USBCommand.start.map {
      SwitchControllerCommand.usb($0).bytes(counter: 0)
    }
    #expect(start == [[0x80, 0x02], [0x80, 0x03], [0x80, 0x02], [0x80, 0x04]])
  }

  @Test func `rumble is report 0x10 with a counter of four bits`() {
    let command = SwitchControllerCommand.rumble(left: .off, right: .off)
    #expect(command.bytes(counter: 0x1f) == hex("10 0f 00 01 40 40 00 01 40 40"))
  }

  @Test func `over USB a report is as long as its descriptor says`() {
    let report = SwitchControllerCommand.usb(.stay).report(counter: 0)
    #expect(report == [0x80, 0x04] + [UInt8](repeating: 0, count: 62))
  }

  @Test func `subcommands are report 0x01 with the rumble before them`() {
    func bytes(_ subcommand: SwitchControllerCommand.Subcommand) -> [UInt8] {
      SwitchControllerCommand.subcommand(subcommand, left: .off, right: .off).bytes(counter: 3)
    }
    let head = hex("01 03 00 01 40 40 00 01 40 40")
    #expect(bytes(.fullReports) == head + hex("03 30"))
    #expect(bytes(.motion(true)) == head + hex("40 01"))
    #expect(bytes(.vibration(true)) == head + hex("48 01"))
    #expect(
      bytes(.readFlash(address: SwitchControllerFacts.factoryCalibration, count: 24))
        == head + hex("10 20 60 00 00 18"))
  }

  @Test func `which Joy-Con is on an interface of the grip is an answer`() throws {
    // The sample of the notes: a right Joy-Con with its address.
    #expect(
      try SwitchControllerReport(hex("81 01 00 02 57 30 ea 8a bb 7c")) == .connected(.rightJoyCon))
    #expect(try SwitchControllerReport(hex("81 01 03 00")) == .connected(nil))
    #expect(try SwitchControllerReport(hex("81 02")) == .usb(2))
  }

  @Test func `a full report holds three samples`() throws {
    let report = try SwitchControllerReport(
      hex(
        """
        30 fd 8e 00 80 00 c1 e7 78 1c f8 77 0b
        01 00 fe ff 00 10 02 00 fd ff 03 00
        04 00 05 00 01 10 06 00 07 00 08 00
        09 00 0a 00 02 10 ff 7f 00 80 00 00
        """) + Array(repeating: 0, count: 15))
    guard case .motion(let motion) = report else {
      Issue.record("\(report)")
      return
    }
    #expect(motion.timer == 0xfd && motion.vibration == 0x0b)
    #expect(
      motion.samples == [
        [1, -2, 4096, 2, -3, 3], [4, 5, 4097, 6, 7, 8], [9, 10, 4098, 32767, -32768, 0],
      ])
  }

  @Test func `an answer holds its flash bytes`() throws {
    let head = hex("21 05 8e 00 80 00 c1 e7 78 1c f8 77 0b")
    let report = try SwitchControllerReport(
      head + hex("90 10 20 60 00 00 02 d3 ff") + Array(repeating: 0, count: 30))
    guard case .answer(let answer) = report else {
      Issue.record("\(report)")
      return
    }
    #expect(answer.acknowledged && answer.number == 0x10 && answer.timer == 5)
    let flash = try answer.flash()
    #expect(flash.address == 0x6020 && flash.bytes == [0xd3, 0xff])
  }

  @Test(arguments: ["", "30", "30 01 02", "21 05 8e", "81", "81 01", "3f 00 00"])
  func `short and unknown reports are refused`(text: String) {
    #expect(throws: CodecError.self) { try SwitchControllerReport(hex(text)) }
  }

  @Test func `a g is a g by the nominal scale and by the flash`() throws {
    // imu_sensor_notes: at +-8 g a step is 0.000244 g.
    let nominal = SwitchControllerCalibration.nominal.sample([0, 0, 4096, 0, 0, 0])
    #expect(abs(nominal.acceleration[2] - 9.80665) < 1e-9)
    // Origin 0x0155 and scale 0x4000 on z; gyroscope origin 25, scale 0x343b.
    let calibration = try SwitchControllerCalibration(
      hex(
        "d3 ff d5 ff 55 01 00 40 00 40 00 40 19 00 dd ff dc ff 3b 34 3b 34 3b 34"))
    let sample = calibration.sample([0, 0, 4096, 25 + 1334, -35, -36])
    #expect(abs(sample.acceleration[2] / 9.80665 - 4096 * 4 / (16384.0 - 341)) < 1e-9)
    #expect(abs(sample.rotation[0] * 180 / .pi - 1334 * 936 / (13371.0 - 25)) < 1e-9)
    #expect(sample.rotation[1] == 0 && sample.rotation[2] == 0)
  }

  @Test func `the right Joy-Con's y and z point the other way`() {
    let left = SwitchControllerCalibration.nominal.sample([1, 2, 3, 4, 5, 6])
    let right = SwitchControllerCalibration.nominal.sample([1, 2, 3, 4, 5, 6], isRight: true)
    #expect(right.acceleration[0] == left.acceleration[0])
    #expect(right.acceleration[1] == -left.acceleration[1])
    #expect(right.rotation[2] == -left.rotation[2])
  }

  @Test func `an erased calibration is refused`() {
    let error = #expect(throws: CodecError.self) {
      try SwitchControllerCalibration(Array(repeating: 0xff, count: 24))
    }
    #expect(error?.code == .range)
    #expect(throws: CodecError.self) { try SwitchControllerCalibration([]) }
  }
}
