// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Devices
import Glibc
import Perception
import Profiles
import Testing
import Units

@testable import Bench

/// What tells how an actuator answers: the probe, else the pattern, else the profile.
struct ModelSourceTests {
  private static let rate = SampleRate(hertz: 24_000)

  /// The synthetic plant as a calibration has it, at two levels; f0 is off by 1 %, as on a warmer day.
  private static func profile(of plant: SyntheticPlant) -> CalibrationProfile {
    func mode(_ shift: Double) -> ActuatorModel.Mode {
      .init(
        f0: MeasuredQuantity(shift * plant.frequency, .hertz, uncertainty: 0.01),
        q: MeasuredQuantity(plant.q, .one, uncertainty: 0.01),
        gain: MeasuredQuantity(plant.gain, .metrePerSecondSquaredPerVolt, uncertainty: 0.1))
    }
    let model = ActuatorModel(
      kind: .resonator, modes: [mode(1.05)],
      delay: MeasuredQuantity(plant.transport, .second, uncertainty: 1e-6),
      levels: [.init(drive: 0.1, mode: mode(1.05)), .init(drive: 3, mode: mode(1.01))])
    return CalibrationProfile(
      actuator: Actuator(
        id: "one", model: "any", limits: DriveLimits(continuousVolts: 2, peakVolts: 3)),
      rig: "bench", model: model,
      feedForward: FeedForward(inverting: model) ?? FeedForward(sections: [], gain: 1, leak: 0),
      ceiling: ReachableCeiling(
        points: [60, 120, 250].map {
          .init(frequency: $0, acceleration: 100, binding: .continuous)
        }), laws: ProfileLaws(referenceLevel: 24),
      uncertainty: UncertaintyBudget(lines: []),
      source: ProfileSource(run: "", hash: "", program: "", date: ""))
  }

  /// Taps that ring into each other, so that nothing of them is told without a model.
  private static let taps = (0..<6).map {
    AHAPText.tap(at: 0.5 + 0.03 * Double($0), sharpness: 0.7)
  }

  /// Measures a take whose probe and first tap, alone half a second before, lie in a gap.
  private func measured(under profile: CalibrationProfile?) throws -> Measured {
    let plant = SyntheticPlant(noise: 1e-3)
    var rig = Rigs.described()
    rig.drive.rate = Self.rate
    let take = TakeBuilder(rig: rig, profile: profile, hasProbe: true).build(
      try Rigs.pattern([AHAPText.tap(at: 0)] + Self.taps, rate: Self.rate))
    return Measured(
      take, plant.record(take, on: rig), of: plant, rig: rig,
      damage: .init(gap: ((take.layout.probe ?? 0) + 2_000)..<(take.layout.pattern + 600)))
  }

  @Test func `where neither probe nor pattern tell it, the profile's resonance tells events apart`()
    throws
  {
    let plant = SyntheticPlant()
    let measured = try measured(under: Self.profile(of: plant))
    try measured.expectMissing(.latencyTransport, because: "gap")
    for event in 1...Self.taps.count {
      let reading = try measured.reading(.latencyEvent, event: event)
      let value = try #require(reading.value, "\(reading.note ?? "")")
      // The profile is 1 % off, which the joint fit finds by itself.
      #expect(
        abs(value - plant.transport) < max(20e-6, 3 * (reading.uncertainty ?? 0)), "\(reading)")
      #expect(reading.note?.hasPrefix("told apart by the profile's model") == true)
      #expect(try measured.reading(.intensityError, event: event).value != nil)
    }
  }

  @Test func `without a profile nothing tells them apart, and each says why`() throws {
    let measured = try measured(under: nil)
    for event in 1...Self.taps.count {
      try measured.expectMissing(.latencyOnset, event: event, because: "unresolved")
    }
  }
}
