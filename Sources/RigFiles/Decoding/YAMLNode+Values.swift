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
}
