// SPDX-License-Identifier: Apache-2.0

/// The kinds of actuator.
public enum ActuatorKind: String, Sendable, Hashable, CaseIterable {
  /// Linear resonant actuator: a tone near its resonance.
  case lra
  /// Voice coil: a tone over a wide band.
  case vcm
  /// Eccentric rotating mass: a voltage that sets its speed; the drive is the intent's envelope.
  case erm
  /// Piezo: a tone over a wide band.
  case piezo
}

/// One physical actuator, what it bears and how it is mounted, as far as that is known.
public struct Actuator: Sendable, Equatable {
  /// The physical piece.
  public var id: String
  /// The type that its maker sells.
  public var model: String
  /// The kind, which decides how intent becomes drive.
  public var kind: ActuatorKind
  /// What its drive must never exceed.
  public var limits: DriveLimits
  /// The mass that moves with its case, in kilograms; `nil` where nobody gave one.
  public var mass: Double?
  /// How it is held: `free`, `phantom`, `hand`, as written.
  public var contact: String?
  /// Its temperature in degrees Celsius; `nil` where nobody gave one.
  public var temperature: Double?

  /// Makes an actuator.
  public init(
    id: String, model: String, kind: ActuatorKind = .lra, limits: DriveLimits,
    mass: Double? = nil, contact: String? = nil, temperature: Double? = nil
  ) {
    self.id = id
    self.model = model
    self.kind = kind
    self.limits = limits
    self.mass = mass
    self.contact = contact
    self.temperature = temperature
  }
}

/// What a drive must never exceed, in volts at the actuator.
public struct DriveLimits: Sendable, Equatable {
  /// The effective voltage that the actuator bears without end.
  public var continuousVolts: Double
  /// The highest voltage at any moment.
  public var peakVolts: Double
  /// The fastest change of voltage in volts a second; `nil` for none.
  public var slope: Double?
  /// The time constant over which the effective voltage is averaged, in seconds.
  public var thermalTime: Double

  /// Makes limits.
  public init(
    continuousVolts: Double, peakVolts: Double, slope: Double? = nil, thermalTime: Double = 1
  ) {
    self.continuousVolts = continuousVolts
    self.peakVolts = peakVolts
    self.slope = slope
    self.thermalTime = thermalTime
  }

  /// The highest peak voltage of a drive that may last: the *safe full scale*.
  ///
  /// A tone of this peak has the continuous limit as its effective voltage; a steady voltage, as an
  /// ERM is driven with, is its own effective value. Overdrive and braking may go beyond it, up to
  /// the peak limit, for as long as the thermal limit lets them.
  public func safeFullScale(fullScaleVolts: Double, isTone: Bool) -> Double {
    let sustained = isTone ? continuousVolts * 2.0.squareRoot() : continuousVolts
    return min(fullScaleVolts, peakVolts, sustained)
  }
}
