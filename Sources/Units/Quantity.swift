// SPDX-License-Identifier: Apache-2.0

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
  case millivoltPerMetrePerSecondSquared = "mV/(m/s2)"
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
    case .voltPerMetrePerSecondSquared, .millivoltPerMetrePerSecondSquared, .millivoltPerGravity:
      .accelerationSensitivity
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
    case .millisecond, .millivolt, .millivoltPerMetrePerSecondSquared, .millihenry, .gram,
      .millimetre:
      1e-3
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

/// A number with its unit, as a person writes it: `4.0 V`, `0.4 ms`, `12 ppm`.
public struct Quantity: Sendable, Hashable, CustomStringConvertible {
  /// The number as written.
  public let value: Double
  /// The unit as written.
  public let unit: MeasurementUnit

  /// Makes a quantity.
  public init(_ value: Double, _ unit: MeasurementUnit) {
    self.value = value
    self.unit = unit
  }

  /// The number in the SI unit of its dimension.
  public var siValue: Double { value * unit.factor }

  /// The number and the unit, as they are read.
  public var description: String { "\(value) \(Self.symbol(unit))" }

  /// Why a text is not a quantity of the dimension asked for.
  public enum ParsingError: Error, Equatable, CustomStringConvertible {
    /// The text does not begin with a finite number.
    case noNumber(text: String, dimension: Dimension)
    /// The text is a number alone, and this dimension needs a unit.
    case noUnit(text: String, dimension: Dimension)
    /// The unit is unknown, or of another dimension.
    case wrongUnit(unit: String, dimension: Dimension)
    /// The number has a comma where its decimal point should be.
    case decimalComma(text: String, corrected: String)

    /// One sentence with the valid units in it.
    public var description: String {
      switch self {
      case .noNumber(let text, let dimension):
        "'\(text)' is not a number with a unit of \(dimension.rawValue): write for example "
          + "'\(Self.example(of: dimension))'"
      case .noUnit(let text, let dimension):
        "'\(text)' has no unit: \(Self.article(dimension)) \(dimension.rawValue) is given in "
          + "\(Self.choices(of: dimension)), for example '\(Self.example(of: dimension))'"
      case .wrongUnit(let unit, let dimension):
        "'\(unit)' is not a unit of \(dimension.rawValue): use \(Self.choices(of: dimension))"
      case .decimalComma(let text, let corrected):
        "'\(text)' has a comma: decimals follow a point, as in '\(corrected)'"
      }
    }

    private static func choices(of dimension: Dimension) -> String {
      dimension.units.map(Quantity.symbol).joined(separator: ", ")
    }

    private static func example(of dimension: Dimension) -> String {
      switch dimension {
      case .ratio: "1.5 %"
      case .count: "2"
      default: "1.5 \(Quantity.symbol(dimension.base))"
      }
    }

    private static func article(_ dimension: Dimension) -> String {
      dimension.rawValue.first.map("aeio".contains) == true ? "an" : "a"
    }
  }

  /// Reads a number and a unit of one dimension.
  ///
  /// A space between the two is optional, and squares may be written `s2`, `s^2` or `s²`. `g` is read as
  /// grams where a mass is asked for and as standard gravity where an acceleration is. A bare number is
  /// accepted for ratios and counts only.
  public static func parse(
    _ text: String, as dimension: Dimension
  ) throws(ParsingError) -> Quantity {
    let trimmed = text.drop { $0 == " " }
    var split = trimmed.endIndex
    // The longest prefix that is a number: '2e3 Hz' holds an exponent, '2 eV' does not.
    while split > trimmed.startIndex, Self.decimal(trimmed[..<split]) == nil {
      split = trimmed.index(before: split)
    }
    guard let number = Self.decimal(trimmed[..<split]), number.isFinite else {
      throw .noNumber(text: text, dimension: dimension)
    }
    if trimmed[split...].first == ",", trimmed[split...].dropFirst().first?.isNumber == true {
      throw .decimalComma(
        text: text, corrected: String(trimmed[..<split] + "." + trimmed[split...].dropFirst()))
    }
    let symbol = trimmed[split...].drop { $0 == " " }.trimmingTrailingSpaces
    guard !symbol.isEmpty else {
      guard dimension == .ratio || dimension == .count else {
        throw .noUnit(text: text, dimension: dimension)
      }
      return Quantity(number, dimension.base)
    }
    let plain = symbol.replacing("s^2", with: "s2").replacing("s²", with: "s2")
    guard let unit = dimension.units.first(where: { Self.symbol($0) == plain }) else {
      throw .wrongUnit(unit: String(symbol), dimension: dimension)
    }
    return Quantity(number, unit)
  }

  /// A number in decimal digits: the hexadecimal and named ones that Swift reads are nobody's quantity.
  private static func decimal(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789+-.eE ".utf8.contains($0) }) else { return nil }
    return Double(text.trimmingTrailingSpaces)
  }

  /// How a unit is written in a file: as its symbol, but for grams, which share theirs with gravity.
  private static func symbol(_ unit: MeasurementUnit) -> String {
    unit == .gram ? "g" : unit.rawValue
  }
}

extension Substring {
  fileprivate var trimmingTrailingSpaces: Substring {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return self[..<end]
  }
}
