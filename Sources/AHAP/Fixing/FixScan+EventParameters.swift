import JSONText

extension FixScan {
  mutating func scanEventParameters(
    _ fields: Fields, _ kind: HapticEvent.Kind, key: Int, meant: Set<String>
  ) {
    let list = fields["EventParameters"]
    guard list.map({ $0.node.kind == .array }) ?? !meant.contains("EventParameters") else { return }
    let elements = list.map(source.elements) ?? []
    var latest: [EventParameterID: Int] = [:]
    var repeated: [(index: Int, name: JSONNode)] = []
    var misspelled: [(name: JSONNode, answer: NameFixer.Answer)] = []
    for (index, element) in elements.enumerated() where element.node.kind == .object {
      let parts = Fields(element, known: Keys.eventParameter, in: source)
      _ = scanKeys(parts, known: Keys.eventParameter)
      guard let name = parts["ParameterID"]?.node, name.kind == .string,
        let value = parts["ParameterValue"], let number = value.node.number
      else { continue }
      guard let id = EventParameterID(matching: name) else {
        if let answer = names.answer(for: name.shortString, among: EventParameterID.names) {
          misspelled.append((name, answer))
        }
        continue
      }
      if let earlier = latest[id] { repeated.append((earlier, name)) }
      latest[id] = index
      scanValue(value, number, of: id)
    }
    scanMisspelled(misspelled, given: Set(latest.keys.map(\.rawValue)))
    removeRepeated(repeated.sorted { $0.index < $1.index }, from: elements, of: list)
    if kind.domain == .haptic {
      let unsure = Set(misspelled.map(\.answer.name))
      let missing = [EventParameterID.hapticIntensity, .hapticSharpness].filter {
        latest[$0] == nil && !unsure.contains($0.rawValue)
      }
      writeDefaults(of: missing, kind, fields, elements, key: key)
    }
  }

  private mutating func scanValue(_ value: LocatedNode, _ number: Double, of id: EventParameterID) {
    guard id == .sustained, number > 0, number < 1 else {
      return limit(value, number, to: id.range, id.rawValue)
    }
    let used = number >= 0.5 ? "1" : "0"
    replace(.clamp, .valueOutOfRange, value, by: used, "write \(used), as is used")
  }

  /// Notes the fix that moves a value into its range.
  mutating func limit(
    _ value: LocatedNode, _ number: Double, to range: ClosedRange<Double>, _ name: String
  ) {
    guard !range.contains(number) else { return }
    let used = number < range.lowerBound ? range.lowerBound : range.upperBound
    replace(
      .clamp, .valueOutOfRange, value, by: used.plain,
      "write \(used.plain) for '\(name)', as is used")
  }

  private mutating func scanMisspelled(
    _ misspelled: [(name: JSONNode, answer: NameFixer.Answer)], given: Set<String>
  ) {
    let counts = Self.counts(misspelled.map(\.answer.name))
    for (name, answer) in misspelled {
      guard let kind = answer.kind, !given.contains(answer.name), counts[answer.name] == 1
      else { continue }
      rename(name, to: answer.name, kind, .parameterIDMisspelled)
    }
  }

  private mutating func removeRepeated(
    _ repeated: [(index: Int, name: JSONNode)], from elements: [LocatedNode], of list: LocatedNode?
  ) {
    guard let list, !repeated.isEmpty else { return }
    let edits = source.removals(
      of: repeated.map(\.index), from: elements.map(\.range), closing: list.end - 1)
    for (removal, edit) in zip(repeated, edits) {
      add(
        .safe, .parameterRepeated, at: removal.name.offset,
        "remove the earlier '\(removal.name.shortString)', of which the last one counts", [edit])
    }
  }

  private mutating func writeDefaults(
    of missing: [EventParameterID], _ kind: HapticEvent.Kind, _ fields: Fields,
    _ elements: [LocatedNode], key: Int
  ) {
    guard !missing.isEmpty, kinds.contains(.safe) else { return }
    let values = missing.map { ($0.rawValue, EventDefaults.apple.value(of: $0, for: kind).plain) }
    let layout = elements.last.flatMap(parameterLayout)
    let space = source.isCompact ? "" : " "
    let texts = values.map { id, value in
      layout.map { $0.id + "\"\(id)\"" + $0.middle + value + $0.end }
        ?? "{\"ParameterID\":\(space)\"\(id)\",\(space)\"ParameterValue\":\(space)\(value)}"
    }
    let edit: TextEdit?
    if let last = elements.last {
      let separator = source.separator(elements.map(\.range))
      edit = TextEdit(
        range: last.end..<last.end, replacement: texts.map { separator + $0 }.joined())
    } else {
      let array = "[" + texts.joined(separator: "," + space) + "]"
      edit =
        fields["EventParameters"].map { TextEdit(range: $0.range, replacement: array) }
        ?? source.insertion(last: "EventParameters", array, into: fields.members)
    }
    let list = values.map { "'\($0)' \($1)" }.joined(separator: " and ")
    add(
      .safe, .defaultUsed, at: key, "write the default of \(list)", edit.map { [$0] } ?? [])
  }

  /// The text of a parameter around its ID and its value, if the ID comes first and there is no more.
  private func parameterLayout(
    _ element: LocatedNode
  ) -> (id: String, middle: String, end: String)? {
    let members = source.members(of: element)
    guard members.count == 2, members[0].key.matches("ParameterID"),
      members[1].key.matches("ParameterValue"), members[0].value.node.kind == .string
    else { return nil }
    let (id, value) = (members[0].value, members[1].value)
    return (
      source.text(element.node.offset..<id.node.offset), source.text(id.end..<value.node.offset),
      source.text(value.end..<element.end)
    )
  }
}
