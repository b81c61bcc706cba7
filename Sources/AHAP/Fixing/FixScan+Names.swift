import JSONText

extension FixScan {
  /// The kinds of values that a key can hold, by its name.
  private static func isFit(_ value: JSONNode, for name: String) -> Bool {
    switch name {
    case "Time", "EventDuration", "ParameterValue", "Version": value.kind == .number
    case "EventType", "EventWaveformPath", "ParameterID": value.kind == .string
    case "EventParameters", "ParameterCurveControlPoints", "Pattern": value.kind == .array
    case "Metadata", "Event", "Parameter", "ParameterCurve": value.kind == .object
    default: value.kind == .bool || value.number == 0 || value.number == 1
    }
  }

  /// Finds the right names of the misspelled keys of an object; gives all names that were meant.
  ///
  /// A key is renamed where its value fits the right one, which is not there and which no other key
  /// resembles. What was meant must not be filled in with a default either.
  mutating func scanKeys(_ fields: Fields, known: [String]) -> Set<String> {
    guard !fields.others.isEmpty else { return [] }
    let answers = fields.others.compactMap { index in
      names.answer(for: fields.members[index].key.shortString, among: known)
        .map { (index: index, answer: $0) }
    }
    let meant = Self.counts(answers.map(\.answer.name))
    for (index, answer) in answers {
      let member = fields.members[index]
      guard let kind = answer.kind, fields[answer.name] == nil,
        meant[answer.name] == 1,
        Self.isFit(member.value.node, for: answer.name)
      else { continue }
      rename(member.key, to: answer.name, kind, .keyMisspelled)
    }
    return Set(meant.keys)
  }

  /// How often each name is there.
  static func counts(_ names: [String]) -> [String: Int] {
    names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Finds the right name of a string that is none of the known ones.
  mutating func scanName(_ node: JSONNode, among known: [String], _ code: DiagnosticCode) {
    guard let answer = names.answer(for: node.shortString, among: known), let kind = answer.kind
    else { return }
    rename(node, to: answer.name, kind, code)
  }

  /// Notes the fix that writes another string.
  mutating func rename(
    _ node: JSONNode, to name: String, _ kind: FixKind, _ code: DiagnosticCode
  ) {
    add(
      kind, code, at: node.offset, "write '\(name)' for '\(node.shortString)'",
      [TextEdit(range: node.offset..<source.stringEnd(node), replacement: "\"\(name)\"")])
  }
}
