import Units

extension YAMLNode {
  /// The entries of a map.
  func entries() throws(RigFileError) -> [Entry] {
    guard case .map(let entries) = content else {
      throw error("\(label) must be a map of keys and values, but \(shape)")
    }
    return entries
  }

  /// The items of a list that has at least one.
  func items(example: String) throws(RigFileError) -> [YAMLNode] {
    guard case .list(let items) = content, !items.isEmpty else {
      let found = if case .list = content { "is an empty list" } else { shape }
      throw error("\(label) must be a list such as \(example), but \(found)")
    }
    return items
  }

  /// A single value as it is written.
  func text() throws(RigFileError) -> String {
    guard case .scalar(let text) = content else {
      throw error("\(label) must be a single value, but \(shape)")
    }
    guard !text.isEmpty else {
      throw error("\(label) has no value: write one, or remove the key")
    }
    return text
  }

  /// A name that files and reports can carry: letters, digits, `-`, `_` and `.`.
  func identifier() throws(RigFileError) -> String {
    let name = try text()
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
        || "-_.".unicodeScalars.contains($0)
    }
    guard isPlain, !name.hasPrefix("."), name.count <= 64 else {
      throw error(
        "\(name.quoted) cannot be a name: use up to 64 letters, digits, '-', '_' and '.', "
          + "and no '.' at the beginning")
    }
    return name
  }

  /// A whole number in decimal digits; other notations are refused, never read as something else.
  func integer<Number: FixedWidthInteger>(
    _ range: ClosedRange<Number>
  ) throws(RigFileError) -> Number {
    let text = try text()
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !digits.isEmpty,
      digits == "0" || !digits.hasPrefix("0")
    else {
      throw error(
        "\(text.quoted) is not a whole number in decimal digits: \(label) must be from "
          + "\(range.lowerBound) to \(range.upperBound)")
    }
    guard let number = Number(text), range.contains(number) else {
      throw error(
        "\(label) is \(text.quoted): it must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// `true` or `false`.
  func flag() throws(RigFileError) -> Bool {
    let text = try text()
    guard let flag = Bool(text) else {
      throw error("\(label) is \(text.quoted): write true or false")
    }
    return flag
  }

  /// One of the names of a type.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type = Choice.self, _ what: String
  ) throws(RigFileError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue)
      throw error(
        "\(text.quoted) is not \(what)\(Nearest.hint(for: text, in: names)): "
          + "use \(names.joined(separator: ", "))")
    }
    return choice
  }

  /// A number with its unit, in the SI unit of its dimension.
  func quantity(_ dimension: Dimension, _ bounds: Bounds) throws(RigFileError) -> Double {
    try checked(quantity(dimension), bounds)
  }

  /// A number with its unit, as written.
  func quantity(_ dimension: Dimension) throws(RigFileError) -> Quantity {
    try parse(text(), as: dimension)
  }

  /// A frequency that may also be a number alone, then in hertz.
  func bareFrequency(_ bounds: Bounds) throws(RigFileError) -> Double {
    let text = try text()
    let isBare = text.utf8.allSatisfy { "+-.0123456789".utf8.contains($0) }
    return try checked(parse(isBare ? "\(text) Hz" : text, as: .frequency), bounds)
  }

  private func parse(_ text: String, as dimension: Dimension) throws(RigFileError) -> Quantity {
    do {
      // Double reads hexadecimal too, which nobody means by a quantity.
      guard text.count <= 40, !text.lowercased().contains("0x") else {
        throw Quantity.ParsingError.noNumber(text: "\(text.prefix(40))", dimension: dimension)
      }
      return try Quantity.parse(text, as: dimension)
    } catch {
      throw self.error("in \(label), \(error)")
    }
  }

  private func checked(_ quantity: Quantity, _ bounds: Bounds) throws(RigFileError) -> Double {
    guard bounds.contains(quantity.siValue) else {
      throw error("\(label) is \(try text().quoted): it must be \(bounds.text(quantity.unit.base))")
    }
    return quantity.siValue
  }
}

/// Which values a quantity may have, in the SI unit of its dimension.
struct Bounds {
  private let lower: Double
  private let upper: Double
  private let isLowerIncluded: Bool

  /// Not the lower bound itself, but anything over it.
  static func above(_ lower: Double, upTo upper: Double) -> Bounds {
    Bounds(lower: lower, upper: upper, isLowerIncluded: false)
  }

  /// Both bounds included.
  static func from(_ lower: Double, upTo upper: Double) -> Bounds {
    Bounds(lower: lower, upper: upper, isLowerIncluded: true)
  }

  func contains(_ value: Double) -> Bool {
    (isLowerIncluded ? value >= lower : value > lower) && value <= upper
  }

  /// The end of a sentence that begins with 'it must be'.
  func text(_ unit: MeasurementUnit) -> String {
    // Not '0 us': a zero has no size that a prefix could fit.
    let zero = unit == .one || unit == .count ? "0" : "0 \(unit.rawValue)"
    let from = lower == 0 ? zero : EngineeringFormat.text(lower, unit)
    let to = EngineeringFormat.text(upper, unit)
    return isLowerIncluded ? "from \(from) to \(to)" : "above \(from) and at most \(to)"
  }
}
