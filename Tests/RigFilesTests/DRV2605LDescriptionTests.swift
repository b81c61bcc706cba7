// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// A DRV2605L that drives and a sound card that hears it.
private let chip = """
  name: bench
  drive:
    device: usb
    driver: drv2605l
    bridge: mcp2221a
    resonance: 175 Hz
    rate: 8 kHz
    channels: {haptic: 1}
    full-scale: 2.5 V
  capture:
    device: alsa
    pcm: "hw:CARD=A,DEV=0"
    channels:
      z: {role: acceleration, sensitivity: 10 mV/g, full-scale: 5 V}
  actuator: {id: a, model: m, limits: {continuous: 2 Vrms, peak: 3 V}}

  """

struct DRV2605LDescriptionTests {
  private func read(_ replacing: String = "", with text: String = "") throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: chip))
  }

  private func description(_ rig: RigDescription) -> DRV2605LDescription? {
    guard case .usb(let device) = rig.drive.device, case .drv2605L(let chip) = device.driver else {
      return nil
    }
    return chip
  }

  @Test func `closed loop is meant where nothing else is written`() throws {
    let rig = try read()
    #expect(description(rig) == DRV2605LDescription(bridge: .mcp2221a, resonance: 175))
    #expect(description(rig)?.updateInterval == 5e-3)
    #expect(rig.capture.kind == .alsa)
  }

  @Test func `everything that the chip can be asked for is kept`() throws {
    let open = try read(
      "bridge: mcp2221a", with: "bridge: ft232h\n  open-loop: 180 Hz\n  update: 3 ms")
    #expect(
      description(open)
        == DRV2605LDescription(
          bridge: .ft232h, resonance: 175, openLoopFrequency: 180, updateInterval: 3e-3))
    let automatic = try read("resonance:", with: "calibration: auto\n  resonance:")
    #expect(description(automatic)?.calibration == .automatic)
    let stored = try read(
      "resonance:", with: "calibration: {compensation: 13, back-emf: 128, gain: 2}\n  resonance:")
    #expect(
      description(stored)?.calibration
        == .constants(compensation: 13, backEMF: 128, gain: 2))
  }

  @Test func `which bridge is told as for a board`() throws {
    let rig = try read("bridge: mcp2221a", with: "bridge: mcp2221a\n  serial: B-7\n  port: 1-2")
    guard case .usb(let device) = rig.drive.device else { return }
    #expect(device.selection == USBSelection(serial: "B-7", port: "1-2"))
  }

  @Test func `what is missing or unknown is told at its place`() {
    expectError("3:3", "the drive needs 'bridge'") {
      try read("  bridge: mcp2221a\n", with: "")
    }
    expectError("3:3", "the drive needs 'resonance'") {
      try read("  resonance: 175 Hz\n", with: "")
    }
    expectError("4:11", "is not a driver of USB devices (did you mean 'drv2605l'?)") {
      try read("driver: drv2605l", with: "driver: drv2605")
    }
    expectError("5:11", "is not a USB-I2C bridge") {
      try read("bridge: mcp2221a", with: "bridge: ch341")
    }
    expectError("6:14", "from 50 Hz to 500 Hz") {
      try read("resonance: 175 Hz", with: "resonance: 20 Hz")
    }
    expectError("6:16", "is no calibration: write 'auto'") {
      try read("resonance:", with: "calibration: yes\n  resonance:")
    }
    expectError("6:45", "from 0 to 255") {
      try read(
        "resonance:", with: "calibration: {compensation: 13, back-emf: 256, gain: 2}\n  resonance:")
    }
  }

  @Test func `what does not go together is refused`() {
    expectError("7:16", "'calibration' is of the closed loop") {
      try read("resonance:", with: "open-loop: 180 Hz\n  calibration: auto\n  resonance:")
    }
    expectError("6:3", "a DRV2605L is asked one thing at a time") {
      try read("resonance:", with: "transfers: 4\n  resonance:")
    }
    expectError("5:3", "this is a board") {
      try read("driver: drv2605l", with: "driver: board")
    }
    expectError("3:3", "one output and no second") {
      try read("{haptic: 1}", with: "{haptic: 1, reference: 2}")
    }
    expectError("15:11", "one LRA here") {
      try read("model: m", with: "model: m, kind: erm")
    }
  }

  @Test func `full scale is within what the actuator bears`() throws {
    expectError("3:3", "at most 2.828 V") { try read("2.5 V", with: "2.9 V") }
    expectError("3:3", "at most 2.6 V") {
      try rig(
        rigFile("2.5 V", with: "2.7 V", of: chip).replacing("peak: 3 V", with: "peak: 2.6 V"))
    }
    #expect(try read("2.5 V", with: "2.828 V").drive.fullScaleVolts == 2.828)
  }

  @Test func `a chip does not capture`() {
    expectError("11:3", "feels nothing") {
      try read("device: alsa\n  pcm: \"hw:CARD=A,DEV=0\"", with: "device: usb")
    }
    expectError("12:11", "feels nothing") {
      try read("device: alsa\n  pcm: \"hw:CARD=A,DEV=0\"", with: "device: usb\n  driver: drv2605l")
    }
  }

  @Test func `a board may capture what the chip drives`() throws {
    let rig = try rig(
      rigFile("device: alsa\n  pcm: \"hw:CARD=A,DEV=0\"", with: "driver: board", of: chip)
        .replacing(
          "{role: acceleration, sensitivity: 10 mV/g, full-scale: 5 V}",
          with: "{role: acceleration}"))
    #expect(rig.capture.kind == .usb)
    #expect(rig.capture.usb?.driver == .board)
  }
}
