// SPDX-License-Identifier: Apache-2.0

import JSONText

/// The keys that mean something in one kind of object of an AHAP file, with what they hold.
///
/// The reader, the fixes and the canonical form go by these lists alone.
struct ObjectShape: Sendable {
  enum Content: Sendable {
    case number
    case text
    case flag
    /// An object whose keys are kept as they stand.
    case notes
    case object(ObjectShape)
    case list(of: ObjectShape)

    /// Whether a value can be meant: a flag may be written as 0 or 1.
    func fits(_ value: JSONView) -> Bool {
      switch self {
      case .number: value.kind == .number
      case .text: value.kind == .string
      case .flag: value.kind == .bool || value.number == 0 || value.number == 1
      case .notes, .object: value.kind == .object
      case .list: value.kind == .array
      }
    }

    fileprivate var isList: Bool { if case .list = self { true } else { false } }
  }

  typealias Key = (name: String, content: Content)

  /// In the order in which names are compared for likeness.
  let keys: [Key]
  let names: [String]
  /// In the order of the canonical form: lists stand last.
  let writtenKeys: [Key]

  private init(_ keys: KeyValuePairs<String, Content>) {
    self.keys = keys.map { ($0.key, $0.value) }
    names = keys.map(\.key)
    writtenKeys = self.keys.filter { !$0.content.isList } + self.keys.filter(\.content.isList)
  }

  static let file = Self(["Version": .number, "Metadata": .notes, "Pattern": .list(of: entry)])
  static let entry = Self([
    "Event": .object(event), "Parameter": .object(parameter), "ParameterCurve": .object(curve),
  ])
  static let event = Self([
    "Time": .number, "EventType": .text, "EventDuration": .number,
    "EventParameters": .list(of: eventParameter), "EventWaveformPath": .text,
    "EventWaveformUseVolumeEnvelope": .flag, "EventWaveformLoopEnabled": .flag,
  ])
  static let eventParameter = Self(["ParameterID": .text, "ParameterValue": .number])
  static let parameter = Self(["ParameterID": .text, "ParameterValue": .number, "Time": .number])
  static let curve = Self([
    "ParameterID": .text, "Time": .number, "ParameterCurveControlPoints": .list(of: point),
  ])
  static let point = Self(["Time": .number, "ParameterValue": .number])
}

enum Keys {
  /// Those of Apple's samples, and what haprig says of a pattern that it composed of a sound.
  static let metadata = ["Project", "Created", "Description", "Composed"]
  static let eventTypes = HapticEvent.Kind.allCases.map(\.rawValue)

  /// Lists names as `'a', 'b' or 'c'`.
  static func choice(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}

extension PatternReader {
  /// Reports a key that means nothing in its place, and the one that was probably meant.
  ///
  /// `known` are the keys that mean something there, `elsewhere` those that do further in.
  mutating func reportUnknown(
    _ key: JSONView, in place: String, known: [String], elsewhere: [String] = []
  ) throws(ReadingStop) {
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

  mutating func suggestion(for wrong: String, among known: [String]) -> String? {
    names.answer(for: wrong, among: known)?.name
  }

  /// Refuses an ID that is not known, and tells the one that was probably meant.
  mutating func unknownID(_ node: JSONView, known: [String], what: String) -> ReadingStop {
    let name = node.shortString
    guard let fix = suggestion(for: name, among: known) else {
      return refusal(
        .parameterIDUnknown, at: node.offset,
        "'\(name)' is not \(what) and is skipped; it must be \(Keys.choice(known))")
    }
    return refusal(
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
  var shortString: String {
    let string = string ?? ""
    return string.count > 60 ? string.prefix(57) + "..." : string
  }
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

/// Finds the right names for wrong ones, each question answered once.
struct NameFixer {
  private struct Question: Hashable {
    var wrong: String
    var known: [String]
  }

  struct Answer {
    var name: String
    /// Nil where several names are as likely, so that no fix can choose.
    var kind: FixKind?
  }

  private var answers: [Question: Answer?] = [:]

  /// Finds what was probably meant; nil where nothing is alike.
  ///
  /// A file of endless different wrong names gets no more answers after the first thousands.
  mutating func answer(for wrong: String, among known: [String]) -> Answer? {
    let question = Question(wrong: wrong, known: known)
    if let answer = answers[question] { return answer }
    guard answers.count < 10_000 else { return nil }
    let answer = Self.find(wrong, among: known)
    answers[question] = .some(answer)
    return answer
  }

  private static func find(_ wrong: String, among known: [String]) -> Answer? {
    guard let name = Spelling.suggestion(for: wrong, among: known) else { return nil }
    if wrong.lowercased() == name.lowercased() { return Answer(name: name, kind: .letterCase) }
    // The first of equals is suggested: from the other end that is another one.
    let isOnly = Spelling.suggestion(for: wrong, among: known.reversed()) == name
    return Answer(name: name, kind: isOnly ? .names : nil)
  }
}

enum Spelling {
  /// Finds the known name most like a wrong one: in another case, at most two letters off, or longer
  /// or shorter by a whole part (`Duration`, `HapticAttackTime`).
  static func suggestion(for wrong: String, among known: [String]) -> String? {
    let name = Array(wrong.lowercased().utf8)
    guard (4...64).contains(name.count) else { return nil }
    var best: (name: String, cost: Int)?
    for candidate in known {
      guard let cost = cost(of: name, as: Array(candidate.lowercased().utf8)) else { continue }
      if best.map({ cost < $0.cost }) ?? true {
        best = (candidate, cost)
      }
    }
    return best?.name
  }

  /// How unlike two names are; nil if they are not alike.
  private static func cost(of wrong: [UInt8], as name: [UInt8]) -> Int? {
    let distance = editDistance(wrong, name)
    if distance <= min(2, wrong.count / 4) { return distance }
    let (short, long) = wrong.count < name.count ? (wrong, name) : (name, wrong)
    let isPart = long.starts(with: short) || long.reversed().starts(with: short.reversed())
    return isPart && short.count >= 4 ? long.count : nil
  }

  /// The number of letters to insert, remove or replace (Levenshtein).
  private static func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var row = Array(0...second.count)
    for (i, a) in first.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in second.enumerated() {
        let replaced = diagonal + (a == b ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, min(row[j], diagonal) + 1)
      }
    }
    return row[second.count]
  }
}
