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
  /// A space between the two is optional. `g` is read as grams where a mass is asked for and as
  /// standard gravity where an acceleration is. A bare number is accepted for ratios and counts only.
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
    let symbol = trimmed[split...].drop { $0 == " " }.trimmingTrailingSpaces
    guard !symbol.isEmpty else {
      guard dimension == .ratio || dimension == .count else {
        throw .noUnit(text: text, dimension: dimension)
      }
      return Quantity(number, dimension.base)
    }
    guard let unit = dimension.units.first(where: { Self.symbol($0) == symbol }) else {
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
