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
  /// Without one of these the object is not used, whatever its type.
  private let required: [String]
  /// What the lack of a required key is found as.
  let lack: DiagnosticCode
  /// In the order of the canonical form: lists stand last.
  let writtenKeys: [Key]

  private init(
    requires required: [String] = [], lack: DiagnosticCode = .parameterFieldMissing,
    _ keys: KeyValuePairs<String, Content>
  ) {
    self.required = required
    self.lack = lack
    self.keys = keys.map { ($0.key, $0.value) }
    names = keys.map(\.key)
    writtenKeys = self.keys.filter { !$0.content.isList } + self.keys.filter(\.content.isList)
  }

  /// Whether the object is not used without a key; an event's type asks for more.
  func requires(_ name: String, ofType kind: HapticEvent.Kind? = nil) -> Bool {
    required.contains(name) || (name == "EventDuration" && kind?.isContinuous == true)
      || (name == "EventWaveformPath" && kind == .audioCustom)
  }

  static let file = Self(
    requires: ["Pattern"], lack: .patternMissing,
    ["Version": .number, "Metadata": .notes, "Pattern": .list(of: entry)])
  static let entry = Self([
    "Event": .object(event), "Parameter": .object(parameter), "ParameterCurve": .object(curve),
  ])
  static let event = Self(
    requires: ["EventType"], lack: .eventFieldMissing,
    [
      "Time": .number, "EventType": .text, "EventDuration": .number,
      "EventParameters": .list(of: eventParameter), "EventWaveformPath": .text,
      "EventWaveformUseVolumeEnvelope": .flag, "EventWaveformLoopEnabled": .flag,
    ])
  static let eventParameter = Self(
    requires: ["ParameterID", "ParameterValue"],
    ["ParameterID": .text, "ParameterValue": .number])
  static let parameter = Self(
    requires: ["ParameterID", "ParameterValue"],
    ["ParameterID": .text, "ParameterValue": .number, "Time": .number])
  static let curve = Self(
    requires: ["ParameterID", "ParameterCurveControlPoints"],
    ["ParameterID": .text, "Time": .number, "ParameterCurveControlPoints": .list(of: point)])
  static let point = Self(
    requires: ["Time", "ParameterValue"], ["Time": .number, "ParameterValue": .number])
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
  /// Reports keys that mean nothing in their place, and those that were probably meant; gives the keys by what
  /// was meant.
  ///
  /// `known` are the keys that mean something there, `elsewhere` those that do further in. What is `lacking` there
  /// and required is told by who misses it, at the misspelled key, so that one mistake is one finding.
  mutating func reportUnknown(
    _ keys: [JSONView], in place: String, known: [String], elsewhere: [String] = [],
    lacking: [String] = []
  ) throws(ReadingStop) -> [String: JSONView] {
    var meant: [String: JSONView] = [:]
    for key in keys {
      let name = suggestion(for: key.shortString, among: known)
      let isFirst = name.map { meant.updateValue(key, forKey: $0) == nil } ?? true
      if let name, isFirst, lacking.contains(name) { continue }
      try reportUnknown(key, in: place, meant: name, elsewhere: elsewhere)
    }
    return meant
  }

  private mutating func reportUnknown(
    _ key: JSONView, in place: String, meant: String?, elsewhere: [String]
  ) throws(ReadingStop) {
    let name = key.shortString
    if let fix = meant {
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

  /// Refuses a part that lacks a required key; at the key that was meant for it, if there is one.
  mutating func lack(
    _ code: DiagnosticCode, _ name: String, of owner: String, meant: [String: JSONView],
    at offset: Int, _ message: @autoclosure () -> String
  ) -> ReadingStop {
    guard let key = meant[name] else { return refusal(code, at: offset, message()) }
    return refusal(code, at: key.offset, Self.lack(of: name, owner, meant: key), fix: name)
  }

  static func lack(of name: String, _ owner: String, meant key: JSONView) -> String {
    "\(owner) has no '\(name)' but '\(key.shortString)'; write '\(name)'"
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
    guard let (name, isOnly) = Spelling.suggestion(for: wrong, among: known) else { return nil }
    if wrong.lowercased() == name.lowercased() { return Answer(name: name, kind: .letterCase) }
    return Answer(name: name, kind: isOnly ? .names : nil)
  }
}

enum Spelling {
  /// Finds the known name most like a wrong one: in another case, at most two letters off, or longer
  /// or shorter by a whole part (`Duration`, `HapticAttackTime`).
  ///
  /// It is the only one where no other is alike as much; of names that lack a part (`Continuous`) none is
  /// nearer than another.
  static func suggestion(
    for wrong: String, among known: [String]
  ) -> (name: String, isOnly: Bool)? {
    let name = Array(wrong.lowercased().utf8)
    guard (3...64).contains(name.count) else { return nil }
    var best: (name: String, likeness: Likeness)?
    var isOnly = true
    for candidate in known {
      guard let likeness = likeness(of: name, to: Array(candidate.lowercased().utf8)) else {
        continue
      }
      guard let found = best else {
        best = (candidate, likeness)
        continue
      }
      if likeness.rank <= found.likeness.rank { isOnly = likeness.rank < found.likeness.rank }
      if likeness < found.likeness { best = (candidate, likeness) }
    }
    return best.map { ($0.name, isOnly) }
  }

  /// How a wrong name is like a right one, the nearer the less.
  private struct Likeness: Comparable {
    /// How many letters are off; of names that lack a part, or have one too many, more than that can be.
    let rank: Int
    let length: Int

    static func < (first: Self, second: Self) -> Bool {
      (first.rank, first.length) < (second.rank, second.length)
    }
  }

  private static func likeness(of wrong: [UInt8], to name: [UInt8]) -> Likeness? {
    let distance = editDistance(wrong, name)
    let mostLetters = 2
    if distance <= max(1, min(mostLetters, wrong.count / 4)) {
      return Likeness(rank: distance, length: 0)
    }
    let (short, long) = wrong.count < name.count ? (wrong, name) : (name, wrong)
    let isPart = long.starts(with: short) || long.reversed().starts(with: short.reversed())
    guard isPart, short.count >= 4 else { return nil }
    return Likeness(rank: mostLetters + 1, length: long.count)
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
