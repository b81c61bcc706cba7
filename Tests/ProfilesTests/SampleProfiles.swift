// SPDX-License-Identifier: Apache-2.0

import Actuators
import Glibc
import Perception
import Profiles
import SeededRandom
import Testing

/// Profiles as a perfect calibration of a textbook actuator would make them.
enum SampleProfiles {
  static let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 5)
  static let source = ProfileSource(
    run: "20261121-120000-rig-lra", hash: String(repeating: "00ff", count: 16),
    program: "haprig 1.0", date: "2026-11-21")

  static func quantity(_ value: Double, _ unit: ProfileUnit) -> MeasuredQuantity {
    MeasuredQuantity(value, unit, uncertainty: abs(value) / 256)
  }

  static func mode(_ f0: Double, _ q: Double, gain: Double) -> ActuatorModel.Mode {
    ActuatorModel.Mode(
      f0: quantity(f0, .hertz), q: quantity(q, .one),
      gain: quantity(gain, .metrePerSecondSquaredPerVolt))
  }

  static func model(_ modes: [ActuatorModel.Mode]) -> ActuatorModel {
    ActuatorModel(
      kind: modes.count == 1 ? .resonator : .modes, modes: modes,
      delay: quantity(1e-4, .second))
  }

  /// |H| of the sum of modes, m/s2 per volt.
  static func magnitude(_ modes: [ActuatorModel.Mode], at frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for mode in modes {
      let r = frequency / mode.f0.value
      let (x, y) = (1 - r * r, r / mode.q.value)
      let k = -r * r * mode.gain.value / mode.q.value / (x * x + y * y)
      real += k * x
      imaginary -= k * y
    }
    return hypot(real, imaginary)
  }

  static func tone(
    id: String = "lra-1", modes: [ActuatorModel.Mode], limits: DriveLimits = limits,
    laws: ProfileLaws = ProfileLaws(), correction: ResponseCorrection = .none
  ) throws -> CalibrationProfile {
    let model = model(modes)
    let highest = limits.safeFullScale(fullScaleVolts: .infinity, isTone: true)
    return CalibrationProfile(
      actuator: Actuator(
        id: id, model: "linX", limits: limits, mass: 0.1, temperature: 23),
      rig: "bench", model: model,
      feedForward: try #require(FeedForward(inverting: model)), correction: correction,
      ceiling: ReachableCeiling(
        points: (0...40).map { step in
          let frequency = 60 * pow(5, Double(step) / 40)
          return ReachableCeiling.Point(
            frequency: frequency, acceleration: highest * magnitude(modes, at: frequency),
            distortion: 0.02, binding: .continuous)
        }),
      laws: laws,
      uncertainty: UncertaintyBudget(lines: [
        .init(name: "sensor", relative: 0.005, evaluation: .typeB),
        .init(name: "repeats", relative: 0.003, evaluation: .typeA, degreesOfFreedom: 4),
      ]), source: source)
  }

  /// 150 Hz, Q 10, 2.29 g at 3 Vrms: the plant linX-145's strength.
  static func lra(
    id: String = "lra-1", f0: Double = 150, q: Double = 10, gain: Double = 5.3,
    laws: ProfileLaws = ProfileLaws()
  ) throws -> CalibrationProfile {
    try tone(id: id, modes: [mode(f0, q, gain: gain)], laws: laws)
  }

  /// 200 Hz at 3 V, force with the square of speed.
  static func erm(
    id: String = "erm-1", laws: ProfileLaws = ProfileLaws()
  ) throws -> CalibrationProfile {
    let model = ActuatorModel(kind: .erm, delay: quantity(1e-3, .second))
    let curve = MotorCurve(
      points: (0...10).map { step in
        let volts = 0.8 + 0.22 * Double(step)
        let frequency = 200 * volts / 3
        return MotorCurve.Point(
          volts: volts, frequency: frequency, acceleration: 15.8 * pow(frequency / 200, 2))
      }, startVolts: 1, spinUpTime: quantity(0.06, .second))
    return CalibrationProfile(
      actuator: Actuator(
        id: id, model: "erm-200", kind: .erm,
        limits: DriveLimits(continuousVolts: 3, peakVolts: 6)),
      rig: "bench",
      model: model, feedForward: FeedForward(spinUpTime: 0.06),
      ceiling: ReachableCeiling(points: []), motorCurve: curve, laws: laws,
      uncertainty: UncertaintyBudget(lines: []), source: source)
  }

  /// Any actuator that might be met, and some that will not.
  static func random(_ random: inout SeededRandom) throws -> CalibrationProfile {
    let laws = ProfileLaws(
      intensity: IntensityLaw.allCases[random.integer(0...3)],
      sharpness: SharpnessLaw.named[random.integer(0...3)].law,
      contour: PerceptionContour.named[random.integer(0...1)],
      referenceLevel: random.uniform(16...40))
    if random.chance(0.2) { return try erm(laws: laws) }
    var modes = [
      mode(
        random.uniform(55...320), random.uniform(0.7...30),
        gain: random.uniform(0.2...20) * (random.chance(0.3) ? -1 : 1))
    ]
    if random.chance(0.3) {
      modes.append(
        mode(
          random.uniform(60...500), random.uniform(2...20), gain: random.uniform(0.2...10)))
    }
    let levels = (0...4).map { 10 + 6 * Double($0) }
    let frequencies = (0...8).map { 70 * pow(4, Double($0) / 8) }
    let correction = ResponseCorrection(
      frequencies: frequencies, levels: levels,
      decibels: frequencies.map { _ in
        var row = [random.uniform(-3...3)]
        for _ in 1...4 { row.append((row.last ?? 0) + random.uniform(-3...3)) }
        return row
      })
    var profile = try tone(
      modes: modes,
      limits: DriveLimits(
        continuousVolts: random.uniform(0.5...4), peakVolts: random.uniform(1...10)),
      laws: laws, correction: random.chance(0.5) ? correction : .none)
    if random.chance(0.3) {
      // Ceilings as end stops and harmonics cut them, with no shape to rely on.
      for index in profile.ceiling.points.indices {
        profile.ceiling.points[index].acceleration *= random.uniform(0.2...1)
      }
    }
    return profile
  }
}
