// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is true of a plant, in SI units; what its kind does not have is `nil`.
public struct PlantTruth: Decodable, Sendable {
  /// One resonance of the linear limit.
  public struct Mode: Decodable, Sendable {
    /// The frequency of the pole pair, in hertz, and its quality.
    public let f0, q: Double
    /// Acceleration for a volt at `f0`, in m/s2 per V; the mode's own part where there are two.
    public let gain: Double
  }

  /// `lra`, `vcm`, `piezo` or `erm`.
  public let kind: String
  /// `resonator`, `modes`, `piezo` or `erm`.
  public let model: String
  /// The first mode's frequency, quality and gain.
  public let f0, q, gain: Double?
  /// All modes.
  public let modes: [Mode]?
  /// The delay of the response after the reference: transport and coil, in seconds.
  public let delay: Double
  /// The part of `delay` that the coil's inductance makes.
  public let coilDelay: Double?
  /// The delay from the mount to the sensor.
  public let transport: Double
  /// The delay of drive and capture together, without jitter.
  public let electrical: Double
  /// How much faster the capture's clock is, in ppm.
  public let drift: Double
  /// The peak voltage that the plant is rated for, and that of a drive of 1.
  public let ratedVolts, fullScale: Double
  /// The mass that carries actuator and sensor, in kilograms.
  public let mount: Double
  /// The -3 dB corner of the sensor's low-pass in hertz, 0 for none, and its own pure delay.
  public let bandwidth, sensorDelay: Double
  /// The sensor's noise density in m/s2 per root hertz.
  public let noise: Double
  /// The coil, in ohm at the plant's temperature, and henry.
  public let resistance, inductance: Double?
  /// The time constant of the ringing, in seconds, and the travel at rated voltage, in metres.
  public let decay, travel: Double?
  /// A motor's speed in hertz and acceleration in m/s2 at rated voltage, and its time constant.
  public let speed, acceleration, spinUp: Double?
  /// What a motor needs to start, and what it loses while it turns.
  public let startVolts, frictionVolts: Double?
}

/// A plant's answer to a tone that has lasted.
public struct SteadyTone: Decodable, Sendable {
  /// Where electrical power goes, in watts.
  public struct Power: Decodable, Sendable {
    /// What the source gives, what warms the coil, and what friction takes.
    public let `in`, copper, friction: Double
  }

  /// The frequency of the response in hertz, a motor's speed, and the peak voltage.
  public let frequency, volts: Double
  /// The peak acceleration of the fundamental, in m/s2, at the mount and without a sensor.
  public let acceleration: Double
  /// The phase of the fundamental after the voltage's, in radians, without transport.
  public let phase: Double?
  /// The total harmonic distortion, orders 2 to 5, as a ratio.
  public let distortion: Double?
  /// The peak travel of the first mode in metres.
  public let travel: Double?
  /// Powers, each the mean of the last periods.
  public let power: Power?
  /// Peak accelerations of orders 1 to 5.
  public let harmonics: [Double]?
}

/// A plant's linear response at a frequency, transport delay and all, without the sensor.
public struct PlantResponse: Decodable, Sendable {
  /// In hertz.
  public let frequency: Double
  /// In m/s2 per V.
  public let magnitude: Double
  /// In radians.
  public let phase: Double
}

extension ForeignPlant {
  /// What is true of the plant in the small-signal limit, in closed form.
  public func truth() throws -> PlantTruth {
    try JSONDecoder().decode(PlantTruth.self, from: asked("--truth"))
  }

  /// The linear response at some frequencies in hertz; not of a motor.
  public func response(at frequencies: [Double]) throws -> [PlantResponse] {
    let data = try Self.output(
      of: Self.program(),
      ["--response"] + frequencies.map { "\($0)" } + ["plant=\(name)"] + parameters)
    return try JSONDecoder().decode([PlantResponse].self, from: data)
  }

  /// The answer to a lasting tone of a peak voltage, by simulation from rest; about 0.1 s of time.
  ///
  /// A motor is given the voltage as it is, and the frequency does not matter.
  public func steady(frequency: Double, volts: Double) throws -> SteadyTone {
    try JSONDecoder().decode(
      SteadyTone.self, from: asked("--steady", "\(frequency)", "\(volts)"))
  }
}
