// SPDX-License-Identifier: Apache-2.0

import Actuators
import Glibc
import Perception
import Profiles
import Reporting
import SeededRandom
import Testing

@testable import Calibration

/// Calibrations as a good rig would end them, with a little noise so that the pictures look like ones.
struct SampleCalibration {
  static let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 5)
  static let source = ProfileSource(
    run: "20261121-120000-bench-calibrate-lra-1",
    hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    program: "haprig 1.0", date: "2026-11-21")

  static func quantity(
    _ value: Double, _ unit: ProfileUnit, _ relative: Double
  ) -> MeasuredQuantity {
    MeasuredQuantity(value, unit, uncertainty: abs(value) * relative)
  }

  static func mode(_ f0: Double, _ q: Double, _ gain: Double) -> ActuatorModel.Mode {
    ActuatorModel.Mode(
      f0: quantity(f0, .hertz, 4.7e-4), q: quantity(q, .one, 0.0061),
      gain: quantity(gain, .metrePerSecondSquaredPerVolt, 0.0123))
  }

  /// |H| in m/s2 per volt and its phase in degrees.
  static func response(
    at frequency: Double, f0: Double = 150.37, q: Double = 10.12, gain: Double = 7.318
  ) -> (magnitude: Double, phase: Double) {
    let r = frequency / f0
    let (x, y) = (1 - r * r, r / q)
    let size = gain / q * r * r / (x * x + y * y).squareRoot()
    return (size, 180 - atan2(y, x) * 180 / .pi)
  }

  static func lra(
    id: String = "lra-1", model name: String = "linX-150", scale: Double = 1,
    isVerified: Bool = true
  ) throws -> CalibrationProfile {
    let mode = mode(150.37, 10.12, 7.318 * scale)
    let model = ActuatorModel(
      kind: .resonator, modes: [mode],
      delay: MeasuredQuantity(3.21e-5, .second, uncertainty: 1.8e-6),
      levels: [0.2, 0.5, 1, 1.8, 3.5].map { drive in
        ActuatorModel.Level(
          drive: drive,
          mode: Self.mode(
            150.37 * (1 + 2e-3 * drive), 10.12 * (1 - 0.01 * drive),
            7.318 * scale * (1 - 0.012 * drive)))
      }, resistance: quantity(12.04, .ohm, 0.003), inductance: quantity(1.2e-4, .henry, 0.05),
      misfit: 0.0042)
    let volts = 2.5 * 2.0.squareRoot()
    var profile = CalibrationProfile(
      actuator: Actuator(
        id: id, model: name, limits: limits, mass: 0.1, contact: "free", temperature: 23.4),
      rig: "bench", model: model,
      feedForward: try #require(FeedForward(inverting: model)),
      ceiling: ReachableCeiling(
        points: (0...30).map { step in
          let frequency = 60 * pow(5, Double(step) / 30)
          let free = volts * scale * response(at: frequency).magnitude
          return ReachableCeiling.Point(
            frequency: frequency, acceleration: min(free, 22 * scale),
            distortion: 0.01 + 0.2 / frequency,
            binding: free > 22 * scale ? .endstop : step % 7 == 0 ? .thd : .continuous)
        }),
      laws: ProfileLaws(referenceLevel: 30),
      conditions: ProfileConditions(axis: "x"),
      uncertainty: UncertaintyBudget(lines: [
        .init(name: "sensor sensitivity", relative: 0.01, evaluation: .typeB),
        .init(name: "sensor flatness", relative: 0.005, evaluation: .typeB),
        .init(name: "drive voltage", relative: 0.002, evaluation: .typeB),
        .init(name: "repeats", relative: 0.003, evaluation: .typeA, degreesOfFreedom: 4),
      ]), source: source)
    if isVerified { profile.verification = verification(of: profile) }
    return profile
  }

  static func erm() -> CalibrationProfile {
    let model = ActuatorModel(kind: .erm, delay: quantity(1.2e-3, .second, 0.05))
    let points = (0...10).map { step in
      let volts = 0.8 + 0.22 * Double(step)
      let frequency = 200 * volts / 3
      return MotorCurve.Point(
        volts: volts, frequency: frequency, acceleration: 15.8 * pow(frequency / 200, 2))
    }
    return CalibrationProfile(
      actuator: Actuator(
        id: "erm-1", model: "erm-200", kind: .erm,
        limits: DriveLimits(continuousVolts: 3, peakVolts: 6)),
      rig: "bench",
      model: model, feedForward: FeedForward(spinUpTime: 0.06),
      ceiling: ReachableCeiling(points: []),
      motorCurve: MotorCurve(
        points: points, startVolts: 1, spinUpTime: quantity(0.0607, .second, 0.02)),
      laws: ProfileLaws(),
      uncertainty: UncertaintyBudget(lines: []), source: source)
  }

  private static func verification(of profile: CalibrationProfile) -> ProfileVerification {
    var random = SeededRandom(seed: 11)
    let held: [(Double, Double)] = [(0.95, 0.56), (0.3, 0.62), (0.8, 0.69), (0.18, 0.4)]
    let map = DriveMap(profile: profile, fullScaleVolts: .infinity)
    func point(_ place: (Double, Double), isHeldOut: Bool) -> ProfileVerification.GridPoint {
      let command = map.command(intensity: place.0, sharpness: place.1)
      return ProfileVerification.GridPoint(
        intensity: place.0, sharpness: place.1, targetLevel: command.targetLevel,
        targetFrequency: command.targetFrequency,
        level: command.targetLevel - command.mapping.decibels + random.uniform(-0.2...0.2),
        frequency: command.frequency * (1 + random.uniform(-2e-3...2e-3)), uncertainty: 0.21,
        isInside: command.mapping.isInside, isHeldOut: isHeldOut)
    }
    let nodes = FeltGrid.intensities.flatMap { i in FeltGrid.sharpnesses.map { (i, $0) } }
    let grid = nodes.map { point($0, isHeldOut: false) } + held.map { point($0, isHeldOut: true) }
    let inside = grid.filter(\.isInside)
    return ProfileVerification(
      grid: grid, level: .init(of: inside.map { $0.level - $0.targetLevel }),
      frequency: .init(of: inside.map { $0.frequency / $0.targetFrequency - 1 }),
      consistency: .init(
        of: inside.map {
          JustNoticeable.consistency(
            levelError: $0.level - $0.targetLevel,
            frequencyRatio: $0.frequency / $0.targetFrequency)
        }), levelCrossTalk: 0.33, frequencyCrossTalk: 0.004,
      taps: [
        .init(intensity: 1, sharpness: 0.6, peak: 8.1, tail: 0.0093, pulseToRing: 22),
        .init(intensity: 0.5, sharpness: 0.6, peak: 2.9, tail: 0.0161, pulseToRing: nil),
      ])
  }

  static func certificate(
    _ profile: CalibrationProfile, figures: CalibrationFigures = CalibrationFigures(),
    notes: [String] = ["The temperature rose by 0.8 K while it was measured."]
  ) -> Certificate {
    Certificate(
      profile: profile, notes: notes, figures: figures, host: "bench-pc",
      recordings: (1...12).map { number in
        let digits = number < 10 ? "0\(number)" : "\(number)"
        return (
          name: "segment-\(digits)-sweep.wav",
          hash: String(repeating: "0123456789abcd\(digits)", count: 4)
        )
      },
      method: [
        (name: "sensor", value: "ADXL1005, two-position flip, 2026-11-02"),
        (name: "reference", value: "drive captured on input 2"),
      ])
  }
}
