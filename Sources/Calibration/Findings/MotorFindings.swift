import Profiles
import SignalAnalysis

/// What a calibration has found out about a motor.
struct MotorFindings: Sendable {
  /// The voltage at which it starts from rest.
  var startVolts: Double?
  /// Steady states by rising voltage.
  var readings: [MotorReading] = []
  /// How it gets going.
  var spinUp: SpinUp?
  /// How long a step is held, in seconds.
  var hold = 0.65

  /// The steady states that rise in speed and force alike.
  private var rising: [MotorReading] {
    readings.sorted { $0.volts < $1.volts }.reduce(into: []) { kept, reading in
      if let last = kept.last,
        reading.frequency.value <= last.frequency.value
          || reading.acceleration.value <= last.acceleration.value
      {
        return
      }
      kept.append(reading)
    }
  }

  /// The curve; nil before there are three states and a time.
  var curve: MotorCurve? {
    let points = rising
    guard points.count >= 3, let spinUp, let startVolts else { return nil }
    return MotorCurve(
      points: points.map {
        MotorCurve.Point(
          volts: $0.volts, frequency: $0.frequency.value, acceleration: $0.acceleration.value)
      }, startVolts: startVolts,
      spinUpTime: MeasuredQuantity(
        spinUp.time.value, .second, uncertainty: spinUp.time.uncertainty))
  }

  /// What it holds at each speed; only the fastest is bound by the voltage.
  var ceiling: ReachableCeiling {
    let points = rising
    return ReachableCeiling(
      points: points.indices.map {
        ReachableCeiling.Point(
          frequency: points[$0].frequency.value, acceleration: points[$0].acceleration.value,
          binding: $0 + 1 < points.count ? .curve : .continuous)
      })
  }

  /// The profile's model of a motor.
  func model(hasReference: Bool) -> ActuatorModel {
    ActuatorModel(
      kind: .erm,
      delay: hasReference
        ? MeasuredQuantity(
          max(0, spinUp?.delay.value ?? 0), .second,
          uncertainty: spinUp?.delay.uncertainty ?? 0.01) : nil)
  }

  /// For a picture.
  var curves: [CalibrationFigures.Curve] {
    let points = rising
    guard !points.isEmpty else { return [] }
    let volts = points.map(\.volts)
    let course = spinUp?.course ?? []
    return [
      .init(label: "speed", x: volts, y: points.map(\.frequency.value)),
      .init(label: "acceleration", x: volts, y: points.map(\.acceleration.value)),
      .init(label: "spin-up", x: course.map(\.time), y: course.map(\.speed)),
    ]
  }
}
