// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// The coils of a DualSense by its sound interface, heard by its own sensor.
private let controller = """
  name: bench
  drive:
    device: alsa
    pcm: "hw:CARD=Controller,DEV=0"
    haptics: dualsense
    rate: 48 kHz
    channels: {haptic: 3}
    full-scale: 2 V
  capture:
    device: usb
    driver: dualsense
    channels:
      z: {role: acceleration, axis: z, input: 3}
  actuator: {id: a, model: m, kind: vcm, limits: {continuous: 1 Vrms, peak: 2 V}}

  """

struct DualSenseDescriptionTests {
  private func read(_ replacing: String = "", with text: String = "") throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: controller))
  }

  @Test func `the only controller is meant where nothing is written`() throws {
    let rig = try read()
    #expect(rig.drive.dualSenseHaptics == USBSelection())
    #expect(
      rig.capture.usb
        == USBDescription(selection: USBSelection(), driver: .dualSense(DualSenseDescription())))
    #expect(try read("haptics: dualsense", with: "period: 96").drive.dualSenseHaptics == nil)
  }

  @Test func `one of several is told by its serial number or place`() throws {
    let rig = try read("haptics: dualsense", with: "haptics: {port: 1-2.3, serial: D-7}")
    #expect(rig.drive.dualSenseHaptics == USBSelection(serial: "D-7", port: "1-2.3"))
    let other = try read(
      "driver: dualsense", with: "driver: dualsense\n  serial: D-8\n  timeout: 2 s")
    #expect(other.capture.usb?.selection == USBSelection(serial: "D-8"))
    #expect(other.capture.usb?.timeout == 2)
  }

  @Test func `what does not go together is refused at its place`() {
    expectError("5:12", "has no coils") { try read("haptics: dualsense", with: "haptics: xbox") }
    expectError("5:13", "is not a key of the haptics of a DualSense") {
      try read("haptics: dualsense", with: "haptics: {card: 1}")
    }
    expectError("12:3", "this is dualsense") {
      try read("driver: dualsense", with: "driver: dualsense\n  transfers: 4")
    }
    for channel in [
      "{role: acceleration, axis: z, input: 4}", "{role: voltage, full-scale: 1 V, input: 3}",
      "{role: acceleration, axis: z, input: 3, full-scale: 5 V, sensitivity: 10 mV/g}",
    ] {
      expectError("13:5", "inputs 1, 2 and 3") {
        try read("{role: acceleration, axis: z, input: 3}", with: channel)
      }
    }
    expectError("4:3", "let its sound interface drive") {
      try rig(
        rigFile(
          "device: alsa\n  pcm: \"hw:CARD=Controller,DEV=0\"",
          with: "device: usb\n  driver: dualsense", of: controller
        )
        .replacing("  haptics: dualsense\n", with: ""))
    }
    expectError("5:3", "it goes with 'device: alsa'") {
      try read(
        "device: alsa\n  pcm: \"hw:CARD=Controller,DEV=0\"", with: "device: usb\n  driver: board")
    }
  }
}
