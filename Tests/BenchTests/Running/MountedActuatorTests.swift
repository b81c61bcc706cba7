// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Profiles
import SignalAnalysis
import Testing
import Units

@testable import Bench

/// Another actuator under a profile is told; what temperature and mounting do is not.
struct MountedActuatorTests {
  private static func mode(_ f0: Double, _ q: Double, _ gain: Double) -> ActuatorModel.Mode {
    .init(
      f0: MeasuredQuantity(f0, .hertz, uncertainty: 0.01),
      q: MeasuredQuantity(q, .one, uncertainty: 0.01),
      gain: MeasuredQuantity(gain, .metrePerSecondSquaredPerVolt, uncertainty: 0.01))
  }

  private static let known = ActuatorModel(
    kind: .resonator, modes: [mode(170, 9, 3)], delay: nil,
    levels: [.init(drive: 0.2, mode: mode(170, 9, 3)), .init(drive: 2, mode: mode(176, 8, 2.8))])

  private static func finding(
    _ f0: Double, _ q: Double, _ gain: Double, uncertainty: Double = 0
  ) throws -> SetupFinding {
    let model = ResonatorModel(
      delay: Estimate(4e-4, uncertainty: 0), frequency: Estimate(f0, uncertainty: uncertainty),
      q: Estimate(q, uncertainty: 0), gain: Estimate(gain, uncertainty: 0))
    return try #require(MountedActuator.finding(of: model, of: "coin", known: known))
  }

  @Test(arguments: [
    (170.0, 9.0, 3.0), (176, 8, 2.8), (161, 9, 3), (185, 7, 2.5), (170, 14, -3), (172, 5, 0.5),
  ])
  func `what heat and a mount do is the same actuator`(f0: Double, q: Double, gain: Double) throws {
    let finding = try Self.finding(f0, q, gain)
    #expect(finding.holds && finding.check == .actuator, "\(finding.sentence)")
  }

  @Test(arguments: [
    (241.0, 9.0, 3.0, "a resonance of 241 Hz, where the profile has 176 Hz"),
    (158, 9, 3, "a resonance of 158 Hz, where the profile has 170 Hz"),
    (170, 17, 3, "a Q of 17, where the profile has 9"),
  ])
  func `another actuator is named by both numbers`(
    f0: Double, q: Double, gain: Double, words: String
  ) throws {
    let finding = try Self.finding(f0, q, gain)
    #expect(!finding.holds)
    #expect(finding.sentence.contains(words), "\(finding.sentence)")
    #expect(finding.sentence.contains("'coin'"))
  }

  @Test func `a resonance that is hardly known refuses nothing`() throws {
    #expect(try Self.finding(200, 9, 3, uncertainty: 10).holds)
  }

  @Test func `a profile without a resonance is not compared`() {
    let model = ResonatorModel(
      delay: Estimate(0, uncertainty: 0), frequency: Estimate(200, uncertainty: 0),
      q: Estimate(9, uncertainty: 0), gain: Estimate(3, uncertainty: 0))
    let motor = ActuatorModel(kind: .erm, delay: nil)
    #expect(MountedActuator.finding(of: model, of: "motor", known: motor) == nil)
  }
}
