// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A profile's fitted model at work: drive in, the acceleration that the actuator answers with out.
///
/// It is what the inverse undoes, for signals as small as the fit holds for. An eccentric rotating mass follows its
/// voltage with the time constant of its speed, and shakes by its curve. State is carried from block to block.
public struct ModelResponse: Sendable {
  /// The model's own delay, in seconds, which is not in the samples.
  public let delay: Double

  private var sections: [FilterSection]
  /// Acceleration over drive before the sections; volts over drive for a motor.
  private let gain: Double
  private var motor: Motor?

  fileprivate struct Motor: Sendable {
    let points: [MotorCurve.Point]
    let volts: [Double]
    /// By how much of what is missing the speed follows in one frame.
    let share: Double
    let rate: Double
    /// The voltage whose steady speed it turns at.
    var reached = 0.0
    var turns = 0.0
  }

  /// Makes a model at rest, for a rate in hertz and the voltage that the drive calls 1; `nil` of a profile whose
  /// motor has no curve.
  public init?(_ profile: CalibrationProfile, rate: Double, fullScaleVolts: Double) {
    precondition(
      rate > 0 && fullScaleVolts > 0, "a rate of \(rate) Hz, a full scale of \(fullScaleVolts) V")
    delay = max(0, profile.model.delay?.value ?? 0)
    guard profile.model.kind == .erm else {
      // What drives it may have been refined since: the model is what was fitted.
      let inverse = FeedForward(inverting: profile.model) ?? profile.feedForward
      sections = inverse.actuatorSections(rate: rate)
      gain = fullScaleVolts / inverse.gain
      return
    }
    guard let curve = profile.motorCurve, curve.points.count > 1 else { return nil }
    sections = []
    gain = fullScaleVolts
    motor = Motor(
      points: curve.points, volts: curve.points.map(\.volts),
      share: 1 - exp(-1 / (rate * curve.spinUpTime.value)), rate: rate)
  }

  /// The acceleration in m/s2 after one more frame of drive.
  public mutating func advance(_ drive: Float) -> Float {
    var value = gain * Double(drive)
    guard motor == nil else { return Float(motor?.advance(value) ?? 0) }
    for index in sections.indices { value = sections[index].advance(value) }
    return Float(value)
  }
}

extension ModelResponse.Motor {
  fileprivate mutating func advance(_ asked: Double) -> Double {
    reached += share * (abs(asked) - reached)
    var (frequency, acceleration): (Double, Double)
    if reached < volts[0] {
      // Below its curve speed goes with the voltage, and force with the square of the speed.
      let part = volts[0] > 0 ? reached / volts[0] : 0
      (frequency, acceleration) = (points[0].frequency * part, points[0].acceleration * part * part)
    } else {
      let place = Interpolation(of: reached, in: volts)
      let (low, high) = (points[place.lower], points[place.upper])
      frequency = low.frequency + place.share * (high.frequency - low.frequency)
      acceleration = low.acceleration + place.share * (high.acceleration - low.acceleration)
    }
    turns = (turns + frequency / rate).truncatingRemainder(dividingBy: 1)
    return acceleration * sin(2 * .pi * turns)
  }
}
