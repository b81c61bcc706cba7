// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// A rig on one sound card in which everything is written.
private let soundCard = """
  name: bench
  drive:
    device: alsa
    pcm: "hw:CARD=Controller,DEV=0"
    rate: 48 kHz
    channels: {haptic: 3, reference: 1}
    full-scale: 2 V
    period: 64
  capture:
    channels:
      z: {role: acceleration, full-scale: 5 V, sensitivity: 10.2 mV/g}
      reference: {role: reference, full-scale: 5 V}
  actuator: {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}

  """

private let virtualCard =
  soundCard.replacing("\"hw:CARD=Controller,DEV=0\"", with: "virtual-card")
  + "simulation:\n  clock: real\n  plant: coinZ-170\n"

struct ALSADescriptionTests {
  private func read(_ replacing: String, with text: String) throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: soundCard))
  }

  private func card(_ rig: RigDescription) throws -> ALSADescription {
    guard case .alsa(let card) = rig.drive.device else {
      throw Missing(text: "not a sound card: \(rig.drive.device)")
    }
    return card
  }

  private struct Missing: Error {
    let text: String
  }

  @Test func `a card's name is enough`() throws {
    let rig = try rig(soundCard)
    #expect(
      try card(rig)
        == ALSADescription(
          pcm: "hw:CARD=Controller,DEV=0", periodFrames: 64, rigFile: "rigs/bench.yaml"))
    #expect(rig.drive.periodFrames == 64)
    #expect(rig.drive.device.kind == .alsa)
    #expect(rig.capture.kind == .alsa)
    #expect(rig.capture.alsa?.pcm == "hw:CARD=Controller,DEV=0")
    #expect(try !card(rig).isLockStep)
  }

  @Test func `everything that a card can be asked for is kept`() throws {
    let text = try rigFile(
      "period: 64", with: "period: 64\n  periods: 3\n  format: S24_3\n  access: rw\n  link: never",
      of: soundCard)
    #expect(
      try card(rig(text))
        == ALSADescription(
          pcm: "hw:CARD=Controller,DEV=0", format: .s24in3, access: .rw, periodFrames: 64,
          bufferFrames: 192, link: .never, rigFile: "rigs/bench.yaml"))
    let capture = try #require(try rig(text).capture.alsa)
    // What the drive says of the card holds for its capture too.
    #expect(capture.format == .s24in3)
    #expect(capture.access == .rw)
    #expect(capture.bufferFrames == 192)
    #expect(capture.periodFrames == nil)
  }

  @Test func `another card captures with a set-up of its own`() throws {
    let text = try rigFile(
      "capture:\n",
      with: "capture:\n  device: alsa\n  pcm: \"hw:1\"\n  format: S32\n  buffer: 512\n",
      of: soundCard)
    let rig = try rig(text)
    #expect(
      rig.capture.alsa
        == ALSADescription(
          pcm: "hw:1", format: .s32, bufferFrames: 512, rigFile: "rigs/bench.yaml"))
    #expect(try card(rig).format == nil)
  }

  @Test func `a period that is not written is no demand`() throws {
    let rig = try read("  period: 64\n", with: "")
    #expect(try card(rig).periodFrames == nil)
    #expect(rig.drive.periodFrames == 256)
  }

  @Test func `the virtual card brings its simulation`() throws {
    let rig = try rig(virtualCard)
    let simulation = try #require(try card(rig).virtualCard)
    #expect(simulation.plant == PlantParameters.named("coinZ-170"))
    #expect(rig.capture.alsa?.virtualCard == simulation)
    #expect(try !card(rig).isLockStep)
    let lockStep = try self.rig(virtualCard.replacing("clock: real", with: "clock: virtual"))
    #expect(try card(lockStep).isLockStep)
  }

  private func rig(_ text: String) throws -> RigDescription {
    try RigDescription(yaml: Array(text.utf8), file: "rigs/bench.yaml")
  }

  @Test func `names that convert need the rig file's word`() throws {
    for name in ["default", "plughw:0,0", "\"plug:hw:0\"", "dmix", "sysdefault:CARD=PCH"] {
      expectError("4:8", "lets ALSA convert rate and format on the way") {
        try read("\"hw:CARD=Controller,DEV=0\"", with: name)
      }
    }
    let rig = try read("\"hw:CARD=Controller,DEV=0\"", with: "plughw:0,0\n  resample: true")
    #expect(try card(rig).isResamplingAllowed)
    #expect(rig.capture.alsa?.isResamplingAllowed == true)
  }

  @Test func `what does not fit a card is refused where it stands`() {
    expectError("3:3", "a sound card needs 'pcm': write for example 'pcm: \"hw:CARD=Controller") {
      try read("  pcm: \"hw:CARD=Controller,DEV=0\"\n", with: "")
    }
    expectError("9:11", "'x' is not a way of access: use auto, mmap, rw") {
      try read("period: 64", with: "period: 64\n  access: x")
    }
    expectError("9:11", "'S20' is not a sample format") {
      try read("period: 64", with: "period: 64\n  format: S20")
    }
    expectError("10:12", "'periods' and 'buffer' both say how much the card holds") {
      try read("period: 64", with: "period: 64\n  buffer: 256\n  periods: 4")
    }
    expectError("9:11", "'buffer' is 100 frames: it must hold two periods of 64") {
      try read("period: 64", with: "period: 64\n  buffer: 100")
    }
    expectError("9:12", "it must be from 2 to 64") {
      try read("period: 64", with: "period: 64\n  periods: 1")
    }
    expectError("9:9", "'sometimes' is not a way to start drive and capture") {
      try read("period: 64", with: "period: 64\n  link: sometimes")
    }
  }

  @Test func `a card's keys belong to a card`() {
    expectError("4:3", "'pcm' cannot stand here: it goes with 'device: alsa'") {
      try rig(rigFile("run: [python3", with: "pcm: x\n  run: [python3", of: outsidePlant))
    }
    expectError("9:3", "'format' cannot stand here: it goes with 'device: alsa'") {
      try rig(
        rigFile("  device: command              # the same", with: "  format: S16  # the same"))
    }
    expectError("4:3", "'run' cannot stand here: it goes with 'device: command'") {
      try read("pcm: \"hw:CARD=Controller,DEV=0\"", with: "run: [a]")
    }
  }

  @Test func `the virtual card and its simulation go together`() {
    expectError("4:3", "the virtual card needs 'simulation' beside 'drive'") {
      try read("\"hw:CARD=Controller,DEV=0\"", with: "virtual-card")
    }
    expectError("14:1", "'simulation' cannot stand here: it goes with 'device: simulated' or") {
      try rig(soundCard + "simulation: {plant: coinZ-170}\n")
    }
    expectError("10:3", "the virtual card is drive and capture in one") {
      try rig(virtualCard.replacing("capture:\n", with: "capture:\n  pcm: \"hw:1\"\n"))
    }
  }

  @Test func `a scale may stand in the card's product string`() throws {
    let one = try read(
      "full-scale: 5 V, sensitivity", with: "full-scale: usb-product-string, sensitivity")
    let channel = try #require(one.capture.channels.first)
    #expect(channel.productString == .fullScale)
    #expect(channel.fullScaleVolts == nil)
    #expect(channel.sensor != nil)
    let two = try read(
      "full-scale: 5 V, sensitivity: 10.2 mV/g", with: "sensitivity: usb-product-string")
    #expect(two.capture.channels.first?.productString == .sensitivity)
    #expect(two.capture.channels.first?.sensor == nil)
    expectError("11:29", "'full-scale' cannot stand here: the product string scales converter") {
      try read("sensitivity: 10.2 mV/g", with: "sensitivity: usb-product-string")
    }
    expectError("11:41", "only a sound card on USB has a product string") {
      try rig(
        virtualCard.replacing(
          "full-scale: 5 V, sensitivity", with: "full-scale: usb-product-string, sensitivity"))
    }
  }
}
