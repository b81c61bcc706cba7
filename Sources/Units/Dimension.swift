/// A kind of quantity, whatever the unit it is written in.
public enum Dimension: String, Sendable, Hashable, CaseIterable {
  case time
  case frequency
  case voltage
  case effectiveVoltage = "effective voltage"
  case voltageSlope = "voltage slope"
  case current
  case acceleration
  case pressure
  case accelerationSensitivity = "sensitivity to acceleration"
  case accelerationNoiseDensity = "noise density of acceleration"
  case resistance
  case inductance
  case mass
  case length
  case forceFactor = "force factor"
  case temperature
  case energy
  case level
  case interval
  case ratio
  case count

  /// The units that measure this quantity, in the order of `MeasurementUnit`.
  public var units: [MeasurementUnit] {
    MeasurementUnit.allCases.filter { $0.dimension == self }
  }

  /// The SI unit, or the unit that haprig computes with where SI has none.
  public var base: MeasurementUnit {
    switch self {
    case .time: .second
    case .frequency: .hertz
    case .voltage: .volt
    case .effectiveVoltage: .voltRMS
    case .voltageSlope: .voltPerSecond
    case .current: .ampere
    case .acceleration: .metrePerSecondSquared
    case .pressure: .pascal
    case .accelerationSensitivity: .voltPerMetrePerSecondSquared
    case .accelerationNoiseDensity: .metrePerSecondSquaredPerRootHertz
    case .resistance: .ohm
    case .inductance: .henry
    case .mass: .kilogram
    case .length: .metre
    case .forceFactor: .newtonPerAmpere
    case .temperature: .celsius
    case .energy: .joule
    case .level: .decibel
    case .interval: .octave
    case .ratio: .one
    case .count: .count
    }
  }
}
