// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

@testable import ALSADevices

struct CalibrationStringTests {
  @Test func `a 485B39 says the volts at each input's end`() throws {
    let calibration = try #require(CalibrationString("485B39 2 001598 0794359 0799265 210723"))
    #expect(calibration.model == "485B39")
    #expect(calibration.serial == "001598")
    #expect(calibration.date == "2021-07-23")
    guard case .voltage(let volts) = calibration.scale else {
      Issue.record("\(calibration.scale)")
      return
    }
    // 2^23 counts at so many a volt.
    #expect(abs(volts[0] - 8_388_608 / 794_359.0) < 1e-12)
    #expect(abs(volts[1] - 8_388_608 / 799_265.0) < 1e-12)
  }

  @Test func `a 333D01 says the acceleration at each input's end`() throws {
    let calibration = try #require(CalibrationString("333D01 1012345 33024 66120 150911"))
    guard case .acceleration(let ends) = calibration.scale else {
      Issue.record("\(calibration.scale)")
      return
    }
    // The maker's own: g = sample * 855400 / counts.
    #expect(abs(ends[0] / 9.80665 - 855_400 / 33_024.0) < 1e-3)
    #expect(abs(ends[1] / 9.80665 - 855_400 / 66_120.0) < 1e-3)
    #expect(calibration.serial == "012345")
  }

  @Test func `format 3 counts per fifty millivolts`() throws {
    let two = try #require(CalibrationString("485B39 2 001598 0794359 0799265 210723"))
    let three = try #require(CalibrationString("485B39 3 001598 0794359 0799265 210723"))
    guard case .voltage(let wide) = two.scale, case .voltage(let narrow) = three.scale else {
      Issue.record("\(two.scale), \(three.scale)")
      return
    }
    for (wide, narrow) in zip(wide, narrow) { #expect(abs(narrow * 20 - wide) < 1e-12) }
  }

  @Test func `a date that was cut is no date, and the scale stays`() throws {
    let calibration = try #require(CalibrationString("485B39 2 001598 0794359 0799265"))
    #expect(calibration.date == nil)
    #expect(CalibrationString("485B39 2 001598 0794359 0799265 211323")?.date == nil)
  }

  @Test(arguments: [
    "", "DualSense Wireless Controller", "485B39 2 001598 0794359",
    "485B39 4 001598 0794359 0799265",
    "485B39 2 001598 0000000 0799265 210723", "485B39 2 00159x 0794359 0799265 210723",
    "485B39 2 001598 0794359 079926\u{0665} 210723",
  ])
  func `another string is none`(text: String) { #expect(CalibrationString(text) == nil) }

  @Test func `a channel that waits for its card's string gets its input's scale`() throws {
    let tree = try SoundTree()
    var rig = Rigs.on(ALSADescription(pcm: "hw:CARD=Data,DEV=0"), input: 2)
    rig.capture.channels[0].fullScaleVolts = nil
    rig.capture.channels[0].productString = .fullScale
    let card = try #require(rig.capture.alsa)
    let resolved = try withExtendedLifetime(tree) {
      try CardOpening(rig, driving: card, capturing: card, tree.files).resolvedScales(rig)
    }
    let channel = resolved.capture.channels[0]
    #expect(abs(try #require(channel.fullScaleVolts) - 8_388_608 / 799_265.0) < 1e-12)
    #expect(channel.sensor?.sensitivity == 0.01)
    #expect(channel.productString == nil)
  }

  @Test(arguments: [
    (
      "hw:CARD=PCH,DEV=0", ProductStringScale.fullScale, "is on no USB device with a product string"
    ),
    ("hw:CARD=Controller,DEV=0", .fullScale, "'DualSense Wireless Controller' of"),
    ("hw:CARD=Data,DEV=0", .sensitivity, "write 'full-scale: usb-product-string'"),
  ])
  func `a card without the string that was promised is refused`(
    pcm: String, scale: ProductStringScale, phrase: String
  ) throws {
    let tree = try SoundTree()
    var rig = Rigs.on(ALSADescription(pcm: pcm))
    rig.capture.channels[0].productString = scale
    let card = try #require(rig.capture.alsa)
    let opening = try CardOpening(rig, driving: card, capturing: card, tree.files)
    let error = #expect(throws: DeviceError.self) {
      try withExtendedLifetime(tree) { try opening.resolvedScales(rig) }
    }
    #expect(error?.message.contains(phrase) == true, "\(String(describing: error))")
  }

  @Test func `a card says what it was calibrated to, and which key takes it`() throws {
    let cards = try SoundTree().cards().cards
    #expect(
      cards[2].calibration?.summary
        == "485B39 number 001598, calibrated 2021-07-23: 10.56 and 10.495 V at full scale of inputs 1 "
        + "and 2 ('full-scale: usb-product-string')")
    #expect(cards[1].calibration == nil)
    // 2^23 counts over 33024 counts per m/s2.
    #expect(
      CalibrationString("333D01 1012345 33024 66120 150911")?.summary.contains(
        "calibrated 2015-09-11: 254.016 and 126.869 m/s2") == true)
  }

  @Test(arguments: [("0001", "hw:CARD=Controller,DEV=2"), ("001598", "hw:CARD=Data,DEV=2")])
  func `a serial number chooses the card, whatever name was given`(
    serial: String, pcm: String
  ) throws {
    let tree = try SoundTree()
    let asked = ALSADescription(pcm: "hw:CARD=Old,DEV=2", serial: serial, bufferFrames: 96)
    let chosen = try withExtendedLifetime(tree) {
      try CardOpening.chosen(asked, rig: "bench", tree.files)
    }
    #expect(chosen.pcm == pcm)
    #expect(chosen.bufferFrames == 96)
  }

  @Test func `a serial number that no card has lists those that are there`() throws {
    let tree = try SoundTree()
    let error = #expect(throws: DeviceError.self) {
      try withExtendedLifetime(tree) {
        try CardOpening.chosen(
          ALSADescription(pcm: "hw:0", serial: "X"), rig: "bench", tree.files)
      }
    }
    #expect(error?.code == .notFound)
    #expect(error?.message.hasSuffix("there is Controller (0001), Data (001598)") == true)
  }

  @Test func `two cards of one serial number are not told apart`() throws {
    let tree = try SoundTree()
    try tree.write("001598\n", to: "/sys/devices/pci0/usb1/1-1/serial")
    let error = #expect(throws: DeviceError.self) {
      try withExtendedLifetime(tree) {
        try CardOpening.chosen(
          ALSADescription(pcm: "hw:0", serial: "001598"), rig: "bench", tree.files)
      }
    }
    #expect(error?.code == .refused)
  }
}
