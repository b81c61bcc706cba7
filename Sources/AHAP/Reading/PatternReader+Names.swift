import JSONText

extension PatternReader {
  /// Reports a key that means nothing in its place, and the one that was probably meant.
  ///
  /// `known` are the keys that mean something there, `elsewhere` those that do further in.
  mutating func reportUnknown(
    _ key: JSONView, in place: String, known: [String], elsewhere: [String] = []
  ) throws(AHAPError) {
    let name = key.shortString
    if let fix = suggestion(for: name, among: known) {
      return try report(
        .keyMisspelled, at: key.offset,
        "'\(name)' is not a key of \(place) and is ignored with all it holds; write '\(fix)'",
        fix: fix)
    }
    if let inner = suggestion(for: name, among: elsewhere) {
      return try report(
        .keyMisspelled, at: key.offset,
        "'\(name)' is not a key of \(place) and is ignored with all it holds; write '\(inner)' "
          + "in an entry of 'Pattern'")
    }
    try report(.keyIgnored, at: key.offset, "'\(name)' is not a key of \(place) and is ignored")
  }

  /// Finds the name that was probably meant, once for each wrong name.
  ///
  /// A file of endless different wrong names gets no more suggestions after the first thousands.
  mutating func suggestion(for wrong: String, among known: [String]) -> String? {
    let question = SpellingQuestion(wrong: wrong, known: known)
    if let answer = suggestions[question] { return answer }
    guard suggestions.count < 10_000 else { return nil }
    let answer = Spelling.suggestion(for: wrong, among: known)
    suggestions[question] = .some(answer)
    return answer
  }

  /// Reports an ID that is not known, and the one that was probably meant.
  mutating func reportUnknownID(
    _ node: JSONView, known: [String], what: String
  ) throws(AHAPError) {
    let name = node.shortString
    guard let fix = suggestion(for: name, among: known) else {
      return try report(
        .parameterIDUnknown, at: node.offset,
        "'\(name)' is not \(what) and is skipped; it must be \(Keys.choice(known))")
    }
    try report(
      .parameterIDMisspelled, at: node.offset,
      "'\(name)' is not \(what) and is skipped; write '\(fix)'", fix: fix)
  }
}

/// A word of a closed list, known by its text.
protocol PatternWord: RawRepresentable<String> {
  /// The list, made once: it is looked through for every name of a file.
  static var all: [Self] { get }
}

extension PatternWord {
  init?(matching name: JSONView) {
    guard let word = Self.all.first(where: { name.matches($0.rawValue) }) else { return nil }
    self = word
  }

  init?(matching name: JSONNode) { self.init(rawValue: name.string ?? "") }
}

extension HapticEvent.Kind: PatternWord {
  static let all = allCases
}

extension EventParameterID: PatternWord {
  static let all = allCases
  static let names = all.map(\.rawValue)
}

extension DynamicParameterID: PatternWord {
  static let all = allCases
  static let names = all.map(\.rawValue)
}

extension JSONView {
  /// The string for a message, cut to a length that fits a line.
  var shortString: String { (string ?? "").shortened }
}

extension JSONNode {
  /// The string for a message, cut to a length that fits a line.
  var shortString: String { (string ?? "").shortened }
}

extension String {
  fileprivate var shortened: String { count > 60 ? prefix(57) + "..." : self }
}

extension Double {
  /// The number for a message: as few digits as name it, no `.0`.
  var plain: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A sum of seconds as `plain`, without the last digits that adding leaves.
  var plainSum: String {
    abs(self) < 1e6 ? ((self * 1e9).rounded() / 1e9).plain : plain
  }
}
