/// A line of a rules file: what it compares, and what it does where all of that fits.
struct UdevLine: Sendable, Hashable {
  /// One key with its value, such as `ATTR{idVendor}=="057e"`.
  struct Term: Sendable, Hashable {
    /// What stands between key and value.
    enum Operation: String, Sendable, CaseIterable {
      case equal = "=="
      case unequal = "!="
      case add = "+="
      case remove = "-="
      case final = ":="
      case set = "="
    }

    let key: String
    /// What stands in braces behind the key; empty without.
    let attribute: String
    let operation: Operation
    let value: String

    /// Whether it is compared, and not done; a program or an import that fails ends its line too.
    var isComparison: Bool {
      operation == .equal || operation == .unequal || key == "PROGRAM" || key == "IMPORT"
    }
    /// Whether it gives the key this value, whatever else it has.
    var isGiving: Bool { isSetting || operation == .add }
    /// Whether it gives the key this value and no other.
    var isSetting: Bool { operation == .set || operation == .final }
  }

  let terms: [Term]

  /// What is compared.
  var comparisons: [Term] { terms.filter(\.isComparison) }

  /// Reads a line; `nil` for an empty one, a comment, and what udev would refuse.
  init?(_ text: String) {
    guard text.first != "#" else { return nil }
    var rest = Substring(text)
    var terms: [Term] = []
    while true {
      rest = rest.drop { $0 == "," || $0.isWhitespace }
      if rest.isEmpty { break }
      guard let term = Self.takeTerm(&rest) else { return nil }
      terms.append(term)
    }
    guard !terms.isEmpty else { return nil }
    self.terms = terms
  }

  /// The value that the line gives a key; `nil` where it gives none.
  func setting(_ key: String) -> String? {
    terms.last { $0.key == key && $0.isSetting }?.value
  }

  /// The lines of a file: a backslash at the end of one joins the next to it.
  static func lines(of text: String) -> [UdevLine] {
    var lines: [UdevLine] = []
    var begun = ""
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let piece = begun.isEmpty ? part.drop(while: \.isWhitespace) : part
      guard piece.last != "\\" else {
        begun += piece.dropLast()
        continue
      }
      if let line = UdevLine(begun + piece) { lines.append(line) }
      begun = ""
    }
    return lines
  }

  private static func takeTerm(_ rest: inout Substring) -> Term? {
    let key = rest.prefix { $0.isLetter || $0 == "_" }
    rest = rest.dropFirst(key.count)
    var attribute = ""
    if rest.first == "{" {
      attribute = String(rest.dropFirst().prefix { $0 != "}" })
      rest = rest.dropFirst(attribute.count + 2)
    }
    rest = rest.drop(while: \.isWhitespace)
    let operation = Term.Operation.allCases.first { rest.hasPrefix($0.rawValue) }
    guard !key.isEmpty, let operation else { return nil }
    rest = rest.dropFirst(operation.rawValue.count).drop(while: \.isWhitespace)
    guard rest.first == "\"" else { return nil }
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst() {
      if character == "\"" {
        return Term(
          key: String(key), attribute: attribute, operation: operation, value: value)
      }
      // A quote of the value's own stands behind a backslash.
      if character == "\\", rest.first == "\"" {
        value.append(rest.removeFirst())
      } else {
        value.append(character)
      }
    }
    return nil
  }
}
