// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import JSONText

/// The strongest steady vibration that an actuator holds at each frequency.
public struct ReachableCeiling: Sendable, Equatable {
  /// What keeps a vibration from being stronger; the raw value is what the file says.
  public enum Binding: String, Sendable, Hashable, CaseIterable {
    /// The peak voltage.
    case peak
    /// The effective voltage that may last.
    case continuous
    /// The thermal budget of the measurement itself.
    case thermal
    /// Harmonics.
    case thd
    /// The response sinks in the noise.
    case noise
    /// The end stop of the moving mass.
    case endstop
    /// A rotating mass has one force for each speed.
    case curve
  }

  /// The ceiling at one frequency.
  public struct Point: Sendable, Equatable {
    /// The frequency, in hertz.
    public var frequency: Double
    /// The highest peak acceleration, in m/s2, above 0.
    public var acceleration: Double
    /// The share of harmonics there, 0.1 for 10 %; nil where it was not measured.
    public var distortion: Double?
    /// What the ceiling comes from.
    public var binding: Binding

    /// Makes a point.
    public init(
      frequency: Double, acceleration: Double, distortion: Double? = nil, binding: Binding
    ) {
      self.frequency = frequency
      self.acceleration = acceleration
      self.distortion = distortion
      self.binding = binding
    }

    static let form = JSONForm(
      Self.init(frequency:acceleration:distortion:binding:), ("frequency", \.frequency, .frequency),
      ("acceleration", \.acceleration, .positive(upTo: 1e6, "m/s2")),
      ("distortion", \.distortion, .optional(.number(in: 0...10))), ("binding", \.binding, .word))
  }

  /// The ceiling by rising frequency.
  public var points: [Point]

  /// Makes a ceiling.
  public init(points: [Point]) { self.points = points }

  /// The highest peak acceleration in m/s2 at a frequency in hertz.
  ///
  /// Between points by a straight line on two logarithmic axes, outside held; 0 without points.
  public func acceleration(at frequency: Double) -> Double {
    guard !points.isEmpty else { return 0 }
    let place = Interpolation(of: frequency, in: points.map(\.frequency), logarithmic: true)
    let (a, b) = (points[place.lower].acceleration, points[place.upper].acceleration)
    return a * pow(b / a, place.share)
  }

  /// How far the mass moves where its end stop ends the ceiling, in metres as the acceleration tells it;
  /// nil where no end stop does.
  ///
  /// a / (2 pi f)^2 of the point of those that moves it furthest.
  public var travel: Double? {
    points.filter { $0.binding == .endstop }.map(\.travel).max()
  }

  /// What binds at the point nearest to a frequency; nil without points.
  public func binding(at frequency: Double) -> Binding? {
    points.min { abs(log($0.frequency / frequency)) < abs(log($1.frequency / frequency)) }?.binding
  }
}

extension ReachableCeiling.Point {
  /// How far the mass moves there, in metres as the acceleration tells it.
  package var travel: Double {
    let w = 2 * Double.pi * frequency
    return acceleration / (w * w)
  }
}

extension ReachableCeiling {
  init(_ field: JSONField) throws(ProfileError) {
    var points: [Point] = []
    for element in try field.elements() {
      let point = try Point.form.value(of: element)
      try element["frequency"].check(
        point.frequency > points.last?.frequency ?? 0, "must be above the one before it")
      points.append(point)
    }
    self.init(points: points)
  }
}

/// What an eccentric rotating mass does on a steady voltage: the one curve that it can reach.
public struct MotorCurve: Sendable, Equatable {
  /// One steady state.
  public struct Point: Sendable, Equatable {
    /// The voltage, in volts.
    public var volts: Double
    /// The speed of rotation, in turns a second.
    public var frequency: Double
    /// The peak acceleration, in m/s2.
    public var acceleration: Double

    /// Makes a point.
    public init(volts: Double, frequency: Double, acceleration: Double) {
      self.volts = volts
      self.frequency = frequency
      self.acceleration = acceleration
    }

    fileprivate static let form = JSONForm(
      Self.init(volts:frequency:acceleration:),
      ("volts", \.volts, .positive(upTo: DriveLimits.highestVolts, "V")),
      ("frequency", \.frequency, .frequency),
      ("acceleration", \.acceleration, .positive(upTo: 1e6, "m/s2")))
  }

  /// Steady states by rising voltage; speed and acceleration rise with it.
  public var points: [Point]
  /// The voltage at which the motor starts from rest, in volts.
  public var startVolts: Double
  /// The time constant of the speed after a step of the voltage, in seconds.
  public var spinUpTime: MeasuredQuantity

  /// Makes a curve.
  public init(points: [Point], startVolts: Double, spinUpTime: MeasuredQuantity) {
    self.points = points
    self.startVolts = startVolts
    self.spinUpTime = spinUpTime
  }
}

extension MotorCurve {
  var json: JSONValue {
    [
      "startVolts": .finite(startVolts),
      "spinUpTime": spinUpTime.json,
      "points": JSONForm.list(Point.form).json(points),
    ]
  }

  init(_ field: JSONField) throws(ProfileError) {
    let field = try field.object("startVolts", "spinUpTime", "points")
    let list = try field["points"]
    var points: [Point] = []
    for element in try list.elements() {
      let point = try Point.form.value(of: element)
      if let last = points.last,
        point.volts <= last.volts || point.frequency <= last.frequency
          || point.acceleration <= last.acceleration
      {
        throw element.error(
          "\(element.path) does not rise in volts, frequency and acceleration over the one before "
            + "it: a motor that is driven harder turns faster")
      }
      points.append(point)
    }
    try list.check(points.count > 1, "has \(points.count) points, but a curve needs two or more")
    let highest = points[points.count - 1].volts
    self.init(
      points: points, startVolts: try field["startVolts"].number(in: 0...highest, "V"),
      spinUpTime: try JSONForm.positive(.second, upTo: 100).member("spinUpTime", of: field))
  }
}
