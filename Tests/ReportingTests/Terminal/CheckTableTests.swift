// SPDX-License-Identifier: Apache-2.0

import Reporting
import Testing

@testable import Calibration

@Suite struct CheckTableTests {
  private let outcome = CalibrationCheck.Outcome(findings: [
    .init(
      name: "f0", unit: "Hz", expected: 170.123, expectedUncertainty: 0.0018, found: 170.125,
      foundUncertainty: 0.0019, sigmas: 0.02, verdict: .same, drive: 0.8662, daily: 0.0005),
    .init(
      name: "gain", unit: "m/s2/V", expected: 2.902, expectedUncertainty: 0.00047, found: 2.5,
      foundUncertainty: 0.00046, sigmas: -27.7, verdict: .drifted, daily: 0.005),
    .init(
      name: "latency", unit: "s", expected: 0.00040722, expectedUncertainty: 6.162e-6,
      found: 0.00040763, foundUncertainty: 1.0082959133860262e-7, sigmas: 0.1, verdict: .same),
  ])

  @Test func `numbers stand in units that fit, with as many digits as are known`() {
    let text = CheckTable(outcome: outcome).text
    #expect(text.contains("407.2 ± 6.2 us"), "\(text)")
    #expect(text.contains("407.63 ± 0.10 us"), "\(text)")
    #expect(text.contains("2.9020 ± 0.0005 m/s2/V"), "\(text)")
    #expect(!text.contains("+-") && !text.contains("e-"), "\(text)")
  }

  @Test func `the drive that f0 belongs to and the share of a day are told`() {
    let text = CheckTable(outcome: outcome).text
    #expect(text.contains("resonance (f0) at 0.8662 V"), "\(text)")
    #expect(text.contains("from day to day: f0 0.05 %, gain 0.5 %\n"), "\(text)")
    #expect(text.contains("gain is 2.5 m/s2/V instead of 2.902 m/s2/V, 27.7 sigma"), "\(text)")
  }
}
