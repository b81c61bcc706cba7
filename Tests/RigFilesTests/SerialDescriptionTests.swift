// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// A sound card that drives, a breakout on a serial port that feels.
private let breakout = """
  name: bench
  drive: {device: alsa, pcm: "hw:CARD=A,DEV=0", rate: 48 kHz, channels: {haptic: 1}, full-scale: 4 V}
  capture:
    device: serial
    path: /dev/ttyACM0
    sample-rate: 1 kHz
    columns: [counter, ticks, x, y, z]
    ticks: 1000 kHz
    scale: 0.5 g
    channels:
      z: {role: acceleration, axis: z, input: 3}
  actuator: {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}

  """

private let columns = "columns: [counter, ticks, x, y, z]"

struct SerialDescriptionTests {
  private func read(_ replacing: String = "", with text: String = "") throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: breakout))
  }

  private func refusal(_ replacing: String, with text: String) throws -> String {
    let error = #expect(throws: RigFileError.self) { try read(replacing, with: text) }
    return error?.description ?? ""
  }

  @Test func `lines of columns are read with all that is written`() throws {
    let rig = try read()
    #expect(rig.drive.device.kind == .alsa)
    #expect(rig.capture.kind == .serial)
    #expect(
      rig.capture.serial
        == SerialDescription(
          path: "/dev/ttyACM0",
          content: .lines(
            [
              .counter(bits: 32), .ticks(rate: 1e6, bits: 32), .axis(0), .axis(1), .axis(2),
            ], scale: 0.5 * 9.80665), sampleRate: 1000))
    #expect(rig.capture.channels.map(\.input) == [3])
    #expect(rig.capture.channels.first?.fullScaleVolts == nil)
  }

  @Test(arguments: ["board", "dualsense, frequency: 65 Hz", "switch, band: low"])
  func `a USB device may drive beside a breakout`(driver: String) throws {
    let rig = try read(
      "device: alsa, pcm: \"hw:CARD=A,DEV=0\"", with: "device: usb, driver: \(driver)")
    #expect(rig.drive.device.kind == .usb)
    #expect(rig.capture.kind == .serial)
    #expect(rig.capture.usb == nil && rig.capture.serial?.path == "/dev/ttyACM0")
  }

  @Test func `packets of one's own are read`() throws {
    let rig = try read(
      columns,
      with: "packets: {magic: aa 55, fields: [u16 counter, i16 y, u8 -], check: crc16}")
    #expect(
      rig.capture.serial?.content
        == .packets(
          BinaryFormat(
            magic: [0xaa, 0x55],
            fields: [
              .init(.u16, .counter(bits: 16)), .init(.i16, .axis(1)), .init(.u8, .other),
            ], check: .crc16, scale: 0.5 * 9.80665)))
  }

  @Test func `the known kind of packet has its own scale`() throws {
    let text = try rigFile(columns, with: "packets: witmotion", of: breakout)
    #expect(throws: RigFileError.self) { try rig(text) }
    let read = try rig(text.replacing("  scale: 0.5 g\n", with: ""))
    #expect(read.capture.serial?.content == .packets(.witMotion))
  }

  @Test(arguments: [
    (columns, "columns: [counter, a]", "'a' is no number of a sample"),
    (columns, "columns: [counter]", "has no axis"),
    (columns, "columns: [x, x]", "names one thing twice"),
    (columns, "baud: 9600", "needs 'columns' of its lines"),
    (columns, "columns: [x]\n  packets: witmotion", "keep one of the two"),
    (columns, "packets: {magic: a, fields: [i16 x]}", "are no bytes"),
    (columns, "packets: {magic: aa, fields: [i17 x]}", "is no field"),
    (columns, "packets: {magic: aa, fields: [float32 counter, i16 x]}", "are whole numbers"),
    (columns, "packets: bosch", "is no kind of packet"),
    ("ticks: 1000 kHz", "baud: 115200", "whose rate is not written"),
    ("scale: 0.5 g", "baud: 115200", "needs 'scale'"),
    ("scale: 0.5 g", "scale: 0 g", "above 0"),
    ("sample-rate: 1 kHz", "baud: 115200", "needs 'sample-rate'"),
    ("sample-rate: 1 kHz", "sample-rate: 10 Hz", "must be from 50 Hz"),
    ("path: /dev/ttyACM0", "baud: 115200", "needs 'path'"),
    ("path: /dev/ttyACM0", "path: ttyACM0", "must begin with '/dev/'"),
    ("path: /dev/ttyACM0", "path: /dev/../etc/passwd", "must begin with '/dev/'"),
    ("path: /dev/ttyACM0", "path: /dev/ttyACM0\n  baud: 123", "use 9600, 19200"),
    ("role: acceleration, axis: z", "role: voltage", "has axes of acceleration alone"),
    ("input: 3", "input: 3, full-scale: 5 V", "the capture's 'scale'"),
    ("device: serial", "device: serial\n  pcm: \"hw:0\"", "goes with 'device: alsa'"),
    ("device: alsa, pcm: \"hw:CARD=A,DEV=0\"", "device: serial", "feels and drives nothing"),
    ("device: alsa, pcm: \"hw:CARD=A,DEV=0\"", "device: file", "drive beside 'serial'"),
  ])
  func `what does not fit is refused`(old: String, new: String, phrase: String) throws {
    let message = try refusal(old, with: new)
    #expect(message.contains(phrase), "\(message)")
    #expect(message.hasPrefix("rigs/bench.yaml:"))
  }

  @Test func `keys of a breakout go with no other device`() throws {
    for key in [
      "path: /dev/ttyACM0", "columns: [x]", "sample-rate: 1 kHz", "scale: 1 g", "ticks: 1 kHz",
    ] {
      let error = #expect(throws: RigFileError.self) {
        try rig(rigFile("device: command  ", with: "\(key)  ", of: outsidePlant))
      }
      #expect(error?.description.contains("goes with 'device: serial'") == true)
    }
  }
}
