import Units

extension YAMLNode {
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
