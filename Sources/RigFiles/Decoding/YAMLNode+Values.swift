// SPDX-License-Identifier: Apache-2.0

import Units

extension YAMLNode {
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

  func text() throws(RigFileError) -> String {
    guard case .scalar(let text) = content else {
      throw error("\(label) must be a single value, but \(shape)")
    }
    try check(!text.isEmpty, "\(label) has no value: write one, or remove the key")
    return text
  }

  /// A name that files and reports can carry: letters, digits, `-`, `_` and `.`.
  func identifier() throws(RigFileError) -> String {
    let name = try text()
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
        || "-_.".unicodeScalars.contains($0)
    }
    try check(
      isPlain && !name.hasPrefix(".") && name.count <= 64,
      "\(name.quoted) cannot be a name: use up to 64 letters, digits, '-', '_' and '.', "
        + "and no '.' at the beginning")
    return name
  }

  /// A whole number in decimal digits; other notations are refused, never read as something else.
  func integer<Number: FixedWidthInteger>(
    _ range: ClosedRange<Number>
  ) throws(RigFileError) -> Number {
    let text = try text()
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    try check(
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) && !digits.isEmpty
        && (digits == "0" || !digits.hasPrefix("0")),
      "\(text.quoted) is not a whole number in decimal digits: \(label) must be from "
        + "\(range.lowerBound) to \(range.upperBound)")
    guard let number = Number(text), range.contains(number) else {
      throw error(
        "\(label) is \(text.quoted): it must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag() throws(RigFileError) -> Bool {
    let text = try text()
    guard let flag = Bool(text) else {
      throw error("\(label) is \(text.quoted): write true or false")
    }
    return flag
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type = Choice.self, _ what: String
  ) throws(RigFileError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue)
      var error = error(
        "\(text.quoted) is not \(what)\(Nearest.hint(for: text, in: names)): "
          + "use \(names.joined(separator: ", "))")
      error.meant = Nearest.meant(by: text, in: names)
      throw error
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
    try check(
      bounds.contains(quantity.siValue),
      "\(label) is \(try text().quoted): it must be \(bounds.text(quantity.unit.base))")
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

/// Finding what somebody meant to write.
package enum Nearest {
  /// The names by their distance from a text, the nearest first.
  package static func sorted(_ names: [String], to text: String) -> [String] {
    let distances = names.map { distance($0, text) }
    return names.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }.map { names[$0] }
  }

  /// ` (did you mean 'x'?)` where a name is near, and nothing where none is.
  package static func hint(for text: String, in names: [String]) -> String {
    meant(by: text, in: names).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The name that a text is near to; `nil` where none is.
  static func meant(by text: String, in names: [String]) -> String? {
    guard let name = sorted(names, to: text).first, distance(name, text) <= max(1, name.count / 3)
    else { return nil }
    return name
  }

  /// How many letters to insert, delete, replace or swap, whatever their case.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.lowercased().prefix(80)), Array(second.lowercased().prefix(80)))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
