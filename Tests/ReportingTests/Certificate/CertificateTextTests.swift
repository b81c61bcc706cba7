// SPDX-License-Identifier: Apache-2.0

import Profiles
import Reporting
import Testing

@Suite struct CertificateTextTests {
  @Test func `the summary of a resonator tells model, reach, errors and what is missed`() throws {
    let profile = try SampleCalibration.lra()
    let text = SampleCalibration.certificate(profile, figures: SampleFigures.lra(of: profile)).text
    #expect(text.hasPrefix("lra-1 (linX-150, lra) on bench: reaches "))
    #expect(text.split(separator: "\n").first?.hasSuffix(" points as asked; misses 1 goal") == true)
    #expect(text.contains("\n  what it can do\n    reaches as asked"))
    #expect(text.contains("\n  how well it does it\n    level error"))
    #expect(text.contains("resonance (f0)             150.37 ± 0.14 Hz (k = 2)\n"))
    #expect(text.contains("delay after the reference  32.1 ± 3.6 us (k = 2)\n"))
    #expect(text.contains("resistance (R)             12.040 ± 0.072 ohm (k = 2)\n"))
    #expect(
      text.contains("intensity 1 is             30 dB above the threshold of feeling (aosp16)\n"))
    #expect(text.contains(" of 25 points of intensity and sharpness ("))
    #expect(text.contains("  misses: Tap tail to -20 dB, longest, 16.10 ms, goal at most 15 ms\n"))
    #expect(text.contains("  note: The temperature rose by 0.8 K while it was measured.\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
  }

  @Test func `the summary of a motor tells its range and spin-up`() {
    let profile = SampleCalibration.erm()
    let text = SampleCalibration.certificate(profile, figures: SampleFigures.erm(of: profile)).text
    #expect(text.contains("time constant of the speed (spin-up)  60.7 ± 2.4 ms (k = 2)\n"))
    #expect(text.contains("  53.33 to 200 Hz, up to 15.8 m/s2\n"))
    #expect(!text.contains("f0"))
    #expect(text.hasPrefix("erm-1 (erm-200, erm) on bench: one strength for each speed, "))
  }

  @Test func `a motor of which nothing was verified meets nothing`() {
    let text = SampleCalibration.certificate(SampleCalibration.erm()).text
    #expect(text.hasPrefix("erm-1 (erm-200, erm) on bench: one strength for each speed, "))
    #expect(text.split(separator: "\n").first?.hasSuffix(" points as asked; not measured") == true)
  }

  @Test func `a calibration that meets all it measured, but did not measure all, says so`() throws {
    let text = SampleCalibration.certificate(try SampleCalibration.lra(isVerified: false)).text
    #expect(text.split(separator: "\n").first?.hasSuffix("; meets what was measured") == true)
  }

  @Test func `a name cannot steer the terminal`() throws {
    let profile = try SampleCalibration.lra(id: "a\u{1B}[31mb\nc")
    let text = SampleCalibration.certificate(profile).text
    #expect(!text.contains("\u{1B}"))
    #expect(text.hasPrefix("a\u{FFFD}[31mb\u{FFFD}c (linX-150"))
  }
}
