// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// A rig on one board over USB.
private let board = """
  name: bench
  drive:
    device: usb
    rate: 8 kHz
    channels: {haptic: 1, reference: 2}
    full-scale: 4 V
  capture:
    channels:
      z: {role: acceleration}
      reference: {role: reference, full-scale: 3.3 V}
  actuator: {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}

  """

struct USBDescriptionTests {
  private func read(_ replacing: String = "", with text: String = "") throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: board))
  }

  private func description(_ rig: RigDescription) -> USBDescription? {
    if case .usb(let description) = rig.drive.device { description } else { nil }
  }

  @Test func `any board is meant where nothing is written`() throws {
    let rig = try read()
    #expect(description(rig) == USBDescription(selection: USBSelection()))
    #expect(rig.capture.kind == .usb)
    #expect(rig.capture.usb == description(rig))
  }

  @Test func `a board's acceleration needs no scale and other roles do`() throws {
    let rig = try read()
    #expect(rig.capture.channel(.acceleration)?.fullScaleVolts == nil)
    #expect(rig.capture.channel(.reference)?.fullScaleVolts == 3.3)
    let error = #expect(throws: RigFileError.self) { try read(", full-scale: 3.3 V", with: "") }
    #expect(error?.description.contains("no converter scale") == true)
  }

  @Test func `everything that a board can be asked for is kept`() throws {
    let rig = try read(
      "device: usb",
      with: "device: usb\n  id: \"1209:4852\"\n  serial: B-7\n  port: 1-2.3\n  transfers: 4\n"
        + "  timeout: 250 ms")
    #expect(
      description(rig)
        == USBDescription(
          selection: USBSelection(
            identity: .init(vendor: 0x1209, product: 0x4852), serial: "B-7", port: "1-2.3"),
          transfers: 4, timeout: 0.25))
    #expect(rig.capture.usb == description(rig))
  }

  @Test func `another board may capture`() throws {
    let rig = try read("capture:", with: "capture:\n  serial: B-8")
    #expect(rig.capture.usb?.selection.serial == "B-8")
    #expect(description(rig)?.selection.serial == nil)
  }

  @Test func `a sound card may capture what a board drives`() throws {
    let text = try rigFile(
      "capture:", with: "capture:\n  device: alsa\n  pcm: \"hw:CARD=A,DEV=0\"", of: board
    )
    .replacing(
      "{role: acceleration}", with: "{role: acceleration, sensitivity: 10 mV/g, full-scale: 5 V}")
    let rig = try rig(text)
    #expect(rig.capture.kind == .alsa)
    #expect(rig.capture.alsa?.pcm == "hw:CARD=A,DEV=0")
    #expect(rig.capture.usb == nil)
  }

  @Test func `a board may capture what a sound card drives`() throws {
    let text = board.replacing("device: usb", with: "device: alsa\n  pcm: \"hw:CARD=A,DEV=0\"")
      .replacing("capture:", with: "capture:\n  device: usb\n  serial: B-8")
    let rig = try rig(text)
    #expect(rig.drive.device.kind == .alsa)
    #expect(rig.capture.kind == .usb)
    #expect(rig.capture.usb?.selection.serial == "B-8")
  }

  @Test(arguments: ["1209", "1209:xyz1", "12099:4852"])
  func `what is no vendor and product is refused`(text: String) throws {
    let error = #expect(throws: RigFileError.self) {
      try read("device: usb", with: "device: usb\n  id: \"\(text)\"")
    }
    #expect(error?.description.contains("no vendor and product") == true)
  }

  @Test(arguments: ["1", "1-", "usb1", "1-2.", "1-0", "1-02", "1-2.3.4.5.6.7.8.9"])
  func `what is no place on a bus is refused`(text: String) throws {
    let error = #expect(throws: RigFileError.self) {
      try read("device: usb", with: "device: usb\n  port: \"\(text)\"")
    }
    #expect(error?.description.contains("no place on a USB bus") == true)
  }

  @Test func `keys of another kind are refused`() throws {
    for key in ["pcm: \"hw:0\"", "run: [a]", "stimulus: a.wav"] {
      #expect(throws: RigFileError.self) { try read("device: usb", with: "device: usb\n  \(key)") }
    }
  }

  @Test func `a simulated rig is not mixed with a board`() throws {
    let error = #expect(throws: RigFileError.self) {
      try read("capture:", with: "capture:\n  device: simulated")
    }
    #expect(error?.description.contains("can be mixed") == true)
  }
}
