// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import RigFiles
import Testing

/// A Switch controller that drives and feels.
private let controller = """
  name: bench
  drive:
    device: usb
    driver: switch
    rate: 8 kHz
    channels: {haptic: 1}
    full-scale: 2 V
  capture:
    channels:
      z: {role: acceleration, axis: z, input: 3}
  actuator: {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}

  """

/// Controllers that drive by commands.
struct ControllerDescriptionTests {
  private func read(_ replacing: String = "", with text: String = "") throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: controller))
  }

  private func driver(_ rig: RigDescription) -> USBDriver? {
    guard case .usb(let device) = rig.drive.device else { return nil }
    return device.driver
  }

  @Test func `the low band is meant where nothing is written`() throws {
    #expect(
      driver(try read()) == .switchController(SwitchControllerDescription(band: .low)))
    let high = try read("driver: switch", with: "driver: switch\n  band: high")
    #expect(driver(high) == .switchController(SwitchControllerDescription(band: .high)))
    let right = try read("{haptic: 1}", with: "{haptic: 2}")
    #expect(right.drive.channels == [.haptic: 2] && right.channel(of: right.actuators[0]) == 2)
  }

  @Test func `the drive's own controller feels where no other is written`() throws {
    let rig = try read("driver: switch", with: "driver: switch\n  band: high\n  port: 1-2")
    guard case .usb(let device) = rig.drive.device else { return }
    #expect(device.selection == USBSelection(port: "1-2"))
    #expect(rig.capture.usb == device)
    // The same controller written twice is one.
    let twice = try parsed(
      rigFile("driver: switch", with: "driver: switch\n  band: high", of: controller)
        .replacing("capture:\n", with: "capture:\n  driver: switch\n"))
    guard case .usb(let first) = twice.drive.device else { return }
    #expect(twice.capture.usb == first)
    let other = try parsed(
      controller.replacing("capture:\n", with: "capture:\n  driver: switch\n  port: 1-3\n"))
    #expect(other.capture.usb?.selection == USBSelection(port: "1-3"))
  }

  private func parsed(_ text: String) throws -> RigDescription {
    try RigDescription(yaml: Array(text.utf8), file: "rigs/bench.yaml")
  }

  @Test func `a Joy-Con is one of the charging grip`() throws {
    let rig = try read("driver: switch", with: "driver: switch\n  joy-con: right")
    let joyCon = SwitchControllerDescription(joyCon: .right)
    #expect(driver(rig) == .switchController(joyCon))
    #expect(rig.capture.usb?.driver == .switchController(joyCon))
    // One drives, the other feels.
    let both = try parsed(
      rigFile("driver: switch", with: "driver: switch\n  joy-con: right", of: controller)
        .replacing("capture:\n", with: "capture:\n  driver: switch\n  joy-con: left\n"))
    #expect(
      both.capture.usb?.driver == .switchController(SwitchControllerDescription(joyCon: .left)))
    expectError("5:12", "is not a Joy-Con") {
      try read("driver: switch", with: "driver: switch\n  joy-con: both")
    }
    expectError("3:3", "a Joy-Con has one actuator") {
      try parsed(
        rigFile("driver: switch", with: "driver: switch\n  joy-con: right", of: controller)
          .replacing("{haptic: 1}", with: "{haptic: 2}"))
    }
  }

  @Test func `a DualSense drives by rumble at a frequency that is written`() throws {
    let rig = try read("driver: switch", with: "driver: dualsense\n  frequency: 65 Hz")
    #expect(driver(rig) == .dualSense(DualSenseDescription(rumbleFrequency: 65)))
    expectError("4:3", "write for example 'frequency: 65 Hz'") {
      try read("driver: switch", with: "driver: dualsense")
    }
    expectError("5:14", "from 20 Hz to 500 Hz") {
      try read("driver: switch", with: "driver: dualsense\n  frequency: 5 Hz")
    }
  }

  @Test func `a sound card may hear what a controller drives`() throws {
    let rig = try parsed(
      rigFile(
        "  channels:\n    z: {role: acceleration, axis: z, input: 3}",
        with: "  device: alsa\n  pcm: \"hw:CARD=A,DEV=0\"\n  channels:\n"
          + "    z: {role: acceleration, sensitivity: 10 mV/g, full-scale: 5 V}", of: controller))
    #expect(rig.capture.kind == .alsa)
  }

  @Test func `what does not go together is refused at its place`() {
    expectError("5:9", "is not a band of HD rumble") {
      try read("driver: switch", with: "driver: switch\n  band: middle")
    }
    expectError("5:3", "it goes with 'driver: switch', and this is a board") {
      try read("driver: switch", with: "driver: board\n  band: low")
    }
    expectError("5:3", "it goes with 'driver: dualsense', and this is switch") {
      try read("driver: switch", with: "driver: switch\n  frequency: 65 Hz")
    }
    expectError("5:3", "it goes with 'driver: drv2605l', and this is switch") {
      try read("driver: switch", with: "driver: switch\n  resonance: 175 Hz")
    }
    expectError("5:3", "it goes with 'driver: board', and this is switch") {
      try read("driver: switch", with: "driver: switch\n  transfers: 4")
    }
    expectError("3:3", "a left and a right actuator") {
      try read("{haptic: 1}", with: "{haptic: 3}")
    }
    expectError("3:3", "no output for sound or a reference") {
      try read("{haptic: 1}", with: "{haptic: 1, reference: 2}")
    }
    expectError("10:5", "the sensor of a Switch controller has inputs 1, 2 and 3") {
      try read("input: 3", with: "input: 4")
    }
    expectError("13:5", "one actuator of a controller") {
      try read(
        "actuator: {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}",
        with: """
          actuators:
            - {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}
            - {id: b, model: m, channel: 2, limits: {continuous: 1 Vrms, peak: 2 V}}
          """)
    }
  }
}
