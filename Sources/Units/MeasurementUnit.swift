/// What a number counts, and how it converts to the SI unit of its dimension.
///
/// The raw value is the symbol as it is written in rig files, records and reports.
public enum MeasurementUnit: String, Sendable, Hashable, CaseIterable {
  case second = "s"
  case millisecond = "ms"
  case microsecond = "us"
  case minute = "min"
  case hertz = "Hz"
  case kilohertz = "kHz"
  case volt = "V"
  case millivolt = "mV"
  case voltRMS = "Vrms"
  case voltPerSecond = "V/s"
  case voltPerMillisecond = "V/ms"
  case ampere = "A"
  case metrePerSecondSquared = "m/s2"
  case standardGravity = "g"
  case pascal = "Pa"
  case voltPerMetrePerSecondSquared = "V/(m/s2)"
  case millivoltPerGravity = "mV/g"
  case metrePerSecondSquaredPerRootHertz = "m/s2/rtHz"
  case microgravityPerRootHertz = "ug/rtHz"
  case ohm = "ohm"
  case henry = "H"
  case millihenry = "mH"
  case kilogram = "kg"
  case gram = "g-mass"
  case metre = "m"
  case millimetre = "mm"
  case newtonPerAmpere = "N/A"
  case celsius = "degC"
  case joule = "J"
  case decibel = "dB"
  case octave = "octave"
  case partsPerMillion = "ppm"
  case percent = "%"
  case one = "1"
  case count = "count"

  /// The quantity that this unit measures.
  public var dimension: Dimension {
    switch self {
    case .second, .millisecond, .microsecond, .minute: .time
    case .hertz, .kilohertz: .frequency
    case .volt, .millivolt: .voltage
    case .voltRMS: .effectiveVoltage
    case .voltPerSecond, .voltPerMillisecond: .voltageSlope
    case .ampere: .current
    case .metrePerSecondSquared, .standardGravity: .acceleration
    case .pascal: .pressure
    case .voltPerMetrePerSecondSquared, .millivoltPerGravity: .accelerationSensitivity
    case .metrePerSecondSquaredPerRootHertz, .microgravityPerRootHertz: .accelerationNoiseDensity
    case .ohm: .resistance
    case .henry, .millihenry: .inductance
    case .kilogram, .gram: .mass
    case .metre, .millimetre: .length
    case .newtonPerAmpere: .forceFactor
    case .celsius: .temperature
    case .joule: .energy
    case .decibel: .level
    case .octave: .interval
    case .partsPerMillion, .percent, .one: .ratio
    case .count: .count
    }
  }

  /// The factor that takes a number in this unit to the SI unit of its dimension.
  ///
  /// Ratios have 1 as their SI unit, temperatures stay in degrees Celsius.
  public var factor: Double {
    switch self {
    case .millisecond, .millivolt, .millihenry, .gram, .millimetre: 1e-3
    case .microsecond, .partsPerMillion: 1e-6
    case .minute: 60
    case .kilohertz, .voltPerMillisecond: 1e3
    case .standardGravity: 9.80665
    case .millivoltPerGravity: 1e-3 / 9.80665
    case .microgravityPerRootHertz: 9.80665e-6
    case .percent: 1e-2
    default: 1
    }
  }

  /// The unit that a number of this dimension has once it is converted.
  public var base: MeasurementUnit { dimension.base }
}

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
  public var base: MeasurementUnit { Self.bases[self] ?? .one }

  private static let bases = Dictionary(
    uniqueKeysWithValues: MeasurementUnit.allCases.filter { $0.factor == 1 }
      .map { ($0.dimension, $0) })
}
