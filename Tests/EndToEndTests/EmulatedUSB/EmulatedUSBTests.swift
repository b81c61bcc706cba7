// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// haprig and its transport on the real libusb, with a device that umockdev emulates.
@Suite(.enabled(if: Workbench.canEmulate, "umockdev is not on this machine (.ci/packages.txt)"))
struct EmulatedUSBTests {
  /// What `haprig devices` says of the one device on the bus.
  private func listing(_ device: EmulatedDevice, isDenied: Bool = false) throws -> String {
    let bench = try Workbench()
    let ending = try bench.run([Workbench.haprig, "devices"], on: device, isDenied: isDenied)
    try #require(ending.code == 0, "\(ending.errors)")
    let lines = ending.output.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { !$0.hasPrefix("USB DEVICE") }.prefix { !$0.isEmpty }
      .joined(separator: "\n")
  }

  @Test func `a device is listed with its names, its serial and what may be done`() throws {
    #expect(
      try listing(EmulatedDevice()).hasPrefix(
        """
        USB DEVICE    (what a rig file writes to use it)
        04d8:00dd 'MCP2221 USB-I2C/UART Combo' at 1-2, serial 0002137448
        """))
    #expect(try listing(EmulatedDevice()).contains("may be opened"))
  }

  @Test(
    .disabled(
      if: EmulatedDevice.areRulesInstalled, "the rules of 'make install-udev' are on this machine"))
  func `without permission the line of the rule stands there`() throws {
    let text = try listing(EmulatedDevice(), isDenied: true)
    #expect(text.contains("no permission, and no udev rule opens it: run 'make install-udev'"))
    #expect(text.contains("'sudo usermod -aG plugdev $USER'"))
    #expect(
      text.contains(
        "  rule: SUBSYSTEM==\"usb\", ATTR{idVendor}==\"04d8\", ATTR{idProduct}==\"00dd\", "
          + "MODE=\"0660\", GROUP=\"plugdev\", TAG+=\"uaccess\""))
  }

  @Test func `a device that haprig does not drive is given no rule`() throws {
    // Such as a keyboard, which a rule would open to every program of the user.
    let other = try listing(EmulatedDevice(vendor: 0xfeed, product: 0xbeef), isDenied: true)
    #expect(other.contains("no permission, and none is needed: haprig does not drive it"))
    let card = EmulatedDevice(
      vendor: 0x1235, product: 0x8210, descriptors: EmulatedDevice.soundCard)
    let sound = try listing(card, isDenied: true)
    #expect(sound.contains("device: alsa; no USB permission, and none is needed"), "\(sound)")
    for text in [other, sound] {
      #expect(!text.contains("rule") && !text.contains("install-udev"), "\(text)")
    }
  }

  @Test(arguments: [
    (18, "descriptor byte 17: the device has 1 configurations by its own word and 0"),
    (22, "descriptor byte 18: a descriptor of 9 bytes, where 2 to 4 fit"),
    (40, "descriptor byte 18: a configuration of 41 bytes, and 22 are there"),
  ])
  func `a device whose descriptors are cut is listed, with the byte`(
    count: Int, phrase: String
  ) throws {
    let device = EmulatedDevice(descriptors: Array(EmulatedDevice.bridge.prefix(count)))
    let text = try listing(device)
    #expect(text.contains("04d8:00dd"), "\(text)")
    #expect(text.contains("it describes itself wrongly (\(phrase)"), "\(text)")
  }

  @Test func `odd bytes of a string reach no terminal`() throws {
    let device = EmulatedDevice(serial: [0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x41, 0xff, 0xfe, 0x07])
    #expect(try listing(device).contains("serial \u{FFFD}[31mA\u{FFFD}\u{FFFD}\u{FFFD}\n"))
  }

  /// Opening of the bridge: cancel, then 400 kHz.
  private static let opening = [
    (out: "10 00 10", in: "10 00 10"), (out: "10 00 00 20 1b", in: "10 00 00 20 1b"),
  ]

  /// Reading a register of the chip at 0x5a.
  private static func reading(_ register: String, gives value: String) -> [(
    out: String, in: String
  )] {
    [
      (out: "94 01 00 b4 \(register)", in: "94 00 00"),
      (out: "10", in: "10 00 00 00 00 00 00 00 45"),
      (out: "93 01 00 b5", in: "93 00 00"),
      (out: "40", in: "40 00 55 01 \(value)"),
    ]
  }

  private func converse(
    _ device: EmulatedDevice, isDenied: Bool = false
  ) throws -> (text: String, code: Int32) {
    let bench = try Workbench()
    let ending = try bench.run(
      [Workbench.conversation, "5a", "0", "16"], on: device, isDenied: isDenied)
    return (ending.output, ending.code)
  }

  @Test func `a conversation with a bridge goes through the library packet by packet`() throws {
    let device = EmulatedDevice(
      conversation: Self.opening + Self.reading("00", gives: "e0")
        + Self.reading("16", gives: "53"))
    let (text, code) = try converse(device)
    #expect(text == "0: [\"e0\"]\n16: [\"53\"]\n")
    #expect(code == 0)
  }

  @Test func `a control request that the device stalls is a refusal`() throws {
    let (text, code) = try converse(EmulatedDevice(idleStatus: -32))
    #expect(
      text.hasPrefix(
        "refused: could not send control request 10 of 04d8:00dd at 1-2: the device refused it"),
      "\(text)")
    #expect(code == 3)
  }

  @Test func `a bridge whose chip does not answer says so`() throws {
    let device = EmulatedDevice(
      conversation: Self.opening + [
        (out: "94 01 00 b4 00", in: "94 01 25"), (out: "10 00 10", in: "10 00 10"),
      ])
    let (text, code) = try converse(device)
    #expect(text.hasPrefix("garbled: "), "\(text)")
    #expect(text.contains("5a"), "\(text)")
    #expect(code == 3)
  }

  @Test func `a device that may not be opened names the rule to add`() throws {
    let (text, code) = try converse(EmulatedDevice(), isDenied: true)
    #expect(text.hasPrefix("denied: could not take hold of 04d8:00dd at 1-2: no permission for"))
    #expect(
      text.contains("ATTR{idProduct}==\"00dd\"") != EmulatedDevice.areRulesInstalled, "\(text)")
    #expect(text.contains("'sudo usermod -aG plugdev $USER'"), "\(text)")
    #expect(code == 3)
  }

  @Test func `a device that is cut short is refused with the byte`() throws {
    let device = EmulatedDevice(descriptors: Array(EmulatedDevice.bridge.prefix(40)))
    let (text, _) = try converse(device)
    #expect(
      text.hasPrefix("garbled: 04d8:00dd at 1-2 describes itself wrongly (descriptor byte 18"))
  }
}
