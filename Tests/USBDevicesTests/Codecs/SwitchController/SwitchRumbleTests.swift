// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing

@testable import USBDevices

/// Values of rumble_data_table.md in dekuNukem/Nintendo_Switch_Reverse_Engineering.
struct SwitchRumbleTests {
  @Test func `no drive is the console's neutral pattern`() throws {
    #expect(SwitchRumble.off.bytes == hex("00 01 40 40"))
    #expect(try SwitchRumble(hex("00 01 40 40")) == .off)
    let made = SwitchRumble(highHertz: 320, highAmplitude: 0, lowHertz: 160, lowAmplitude: 0)
    #expect(made == .off)
  }

  @Test func `the example of the notes is its bytes`() throws {
    // hf 0x01a8 with amplitude 0x88, lf 0x63 with amplitude 0x804d: a8 89 e3 4d.
    let rumble = try SwitchRumble(hex("a8 89 e3 4d"))
    #expect(rumble.highCode == 0x01a8 / 4 + 0x60 && rumble.highAmplitudeCode == 0x88 / 2)
    #expect(rumble.lowCode == 0x63 + 0x40 && rumble.lowAmplitudeCode == (0x4d - 0x40) * 2 + 1)
    #expect(rumble.bytes == hex("a8 89 e3 4d"))
    // +0x88 is half of the safe amplitude (issue 1 of MTCKC/ProconXInput).
    #expect(abs(SwitchRumble.amplitude(code: 0x88 / 2) - 0.5) < 0.002)
  }

  @Test func `published patterns read back as themselves`() throws {
    // CTCaer in MTCKC/ProconXInput issue 1: 320 Hz, 160 Hz, both, none.
    for text in ["00 65 40 40", "00 01 40 62", "00 65 40 62", "00 01 40 40"] {
      #expect(try SwitchRumble(hex(text)).bytes == hex(text))
    }
  }

  @Test(arguments: [
    (0x41, 40.875885), (0x42, 41.77095), (0x43, 42.685616), (0x44, 43.620308), (0x45, 44.57547),
    (0x4b, 50.762039), (0x61, 81.75177), (0x80, 160), (0xa0, 320), (0xbf, 626.286133),
    (0xdf, 1252.572266),
  ]) func `a code's frequency is that of the table`(code: Int, hertz: Double) {
    #expect(abs(SwitchRumble.frequency(code: code) / hertz - 1) < 1e-6)
    #expect(SwitchRumble.frequencyCode(hertz, in: 0x41...0xdf) == code)
  }

  @Test(arguments: [
    (0, 0), (1, 10), (2, 12), (3, 14), (4, 17), (5, 20), (6, 24), (7, 28), (8, 33), (9, 40),
    (10, 47),
    (11, 56), (12, 67), (13, 80), (14, 95), (15, 112), (16, 117), (17, 123), (18, 128), (20, 140),
    (24, 166), (31, 225), (32, 230), (33, 235), (40, 273), (48, 325),
  ]) func `a code's amplitude is that of the table`(code: Int, thousandths: Int) {
    #expect(abs(SwitchRumble.amplitude(code: code) * 1000 - Double(thousandths)) < 1)
  }

  @Test func `the highest amplitudes are the safe ones`() {
    let rumble = SwitchRumble(
      highHertz: 320, highAmplitude: 9, lowHertz: 160, lowAmplitude: .infinity)
    #expect(rumble.bytes == hex("00 c9 40 72"))
    #expect(SwitchRumble.amplitude(code: 100) == 1)
  }

  @Test(arguments: ["00 cb 40 40", "00 01 40 73", "00 01 c0 72", "00 ff 40 40"])
  func `bytes above the safe amplitude are refused`(text: String) {
    let error = #expect(throws: CodecError.self) { try SwitchRumble(hex(text)) }
    #expect(error?.code == .range)
  }

  @Test func `no amplitude is above the safe one, and codes rise with it`() {
    var before = -1.0
    for code in SwitchRumble.amplitudeRange {
      let amplitude = SwitchRumble.amplitude(code: code)
      #expect(amplitude > before && amplitude <= 1)
      #expect(SwitchRumble.amplitudeCode(amplitude) == code)
      before = amplitude
    }
  }

  @Test(arguments: 0..<200) func `any drive is on the grid, safe, and reads back`(seed: UInt64)
    throws
  {
    var random = SeededRandom(seed: seed)
    let rumble = SwitchRumble(
      highHertz: random.uniform(-100...3000), highAmplitude: random.uniform(-1...3),
      lowHertz: random.uniform(-100...3000), lowAmplitude: random.uniform(-1...3))
    #expect(try SwitchRumble(rumble.bytes) == rumble, "\(random)")
    #expect(rumble.bytes[1] & 0xfe <= 0xc8 && rumble.bytes[3] <= 0x72, "\(random)")
  }

  @Test(arguments: 0..<100) func `a tone within the grid is off by half a step at most`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let hertz = random.uniform(82...1250)
    let code = SwitchRumble.frequencyCode(hertz, in: SwitchRumble.highRange)
    let ratio = SwitchRumble.frequency(code: code) / hertz
    // Half of 1/32 octave is 1.09 %.
    #expect(abs(ratio - 1) < 0.0110, "\(random): \(hertz) Hz")
  }

  @Test func `no number at all is no drive`() {
    let rumble = SwitchRumble(
      highHertz: .nan, highAmplitude: .nan, lowHertz: .nan, lowAmplitude: .nan)
    #expect(rumble.highAmplitudeCode == 0 && rumble.lowAmplitudeCode == 0)
  }
}
