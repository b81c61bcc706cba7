// SPDX-License-Identifier: Apache-2.0

import JSONText

extension FixScan {
  mutating func scanEvent(_ value: LocatedNode, key: Int, slot: Int?) {
    guard let fields = fields(of: value, as: .event),
      let type = fields["EventType"]?.node, type.kind == .string
    else {
      hasUnknownEvent = true
      return
    }
    guard let kind = HapticEvent.Kind(matching: type) else {
      hasUnknownEvent = true
      let answer = names.answer(for: type.shortString, among: Keys.eventTypes)
      guard let answer, answer.kind != nil else { return }
      return rename(type, to: answer.name, .safe, .eventTypeUnknown, bringsToLife: true)
    }
    if fields["Time"] == nil && !fields.meant.contains("Time") {
      add(
        .safe, .eventTimeMissing, at: key, "write the 'Time' 0",
        source.insertion(first: "Time", "0", into: fields.members))
    }
    let duration = scanDuration(fields, kind)
    let time = fields["Time"].map { $0.node.number ?? -1 } ?? 0
    if time >= 0 {
      events.append(TimedEvent(key: key, time: time, slot: slot))
      patternEnd = max(patternEnd, time + duration)
      if duration > 0 { eventEnds.append(time + duration) }
    } else {
      hasUnknownEvent = true
    }
    scanFlag(fields["EventWaveformUseVolumeEnvelope"])
    scanFlag(fields["EventWaveformLoopEnabled"])
    scanEventParameters(fields, kind, key: key)
  }

  /// Finds the fixes of a duration; gives the seconds that are used.
  private mutating func scanDuration(_ fields: Fields, _ kind: HapticEvent.Kind) -> Double {
    let name = "EventDuration"
    guard let index = fields.index(of: name) else { return 0 }
    let value = fields.members[index].value
    guard let duration = value.node.number else { return 0 }
    if kind.isContinuous {
      let longest = HapticEvent.longestDuration
      if duration > longest {
        replace(
          .clamp, .durationTooLong, value, by: longest.plain,
          "limit the duration to \(longest.plain) s")
      }
      return min(duration, longest)
    }
    guard duration < 0 || (duration == 0 && kind == .audioCustom) else { return duration }
    if !fields.isRepeated(name) {
      add(
        .safe, .durationIgnored, at: value.node.offset, "remove the duration that is ignored",
        source.removal(of: index, from: fields))
    }
    return 0
  }

  private mutating func scanFlag(_ value: LocatedNode?) {
    guard let value, let number = value.node.number, number == 0 || number == 1 else { return }
    replace(.safe, .flagAsNumber, value, by: "\(number == 1)", "write the flag as \(number == 1)")
  }

  private mutating func scanEventParameters(
    _ fields: Fields, _ kind: HapticEvent.Kind, key: Int
  ) {
    let list = fields["EventParameters"]
    guard list.map({ $0.node.kind == .array }) ?? !fields.meant.contains("EventParameters") else {
      return
    }
    let elements = list.map(source.elements) ?? []
    var latest: [EventParameterID: Int] = [:]
    var repeated: [(index: Int, name: JSONView)] = []
    var misspelled: [(name: JSONView, answer: NameFixer.Answer)] = []
    // What is left out may be an intensity: no default is written then.
    var hasUnknown = false
    for (index, element) in elements.enumerated() {
      guard let parts = self.fields(of: element, as: .eventParameter),
        let name = parts["ParameterID"]?.node, name.kind == .string,
        let value = parts["ParameterValue"], let number = value.node.number
      else {
        hasUnknown = true
        continue
      }
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
    let counts = Self.counts(misspelled.map(\.answer.name))
    for (name, answer) in misspelled {
      guard let kind = answer.kind, counts[answer.name] == 1,
        !latest.keys.contains(where: { $0.rawValue == answer.name })
      else { continue }
      rename(name, to: answer.name, kind, .parameterIDMisspelled)
    }
    removeRepeated(repeated.sorted { $0.index < $1.index }, from: elements, of: list)
    if kind.domain == .haptic, !hasUnknown {
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

  mutating func limit(
    _ value: LocatedNode, _ number: Double, to range: ClosedRange<Double>, _ name: String
  ) {
    guard !range.contains(number) else { return }
    let used = number < range.lowerBound ? range.lowerBound : range.upperBound
    replace(
      .clamp, .valueOutOfRange, value, by: used.plain,
      "write \(used.plain) for '\(name)', as is used")
  }

  private mutating func removeRepeated(
    _ repeated: [(index: Int, name: JSONView)], from elements: [LocatedNode], of list: LocatedNode?
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
    let edits: [TextEdit]
    if let last = elements.last {
      let separator = source.separator(elements.map(\.range))
      edits = [
        TextEdit(range: last.end..<last.end, replacement: texts.map { separator + $0 }.joined())
      ]
    } else {
      let array = "[" + texts.joined(separator: "," + space) + "]"
      edits =
        fields["EventParameters"].map { [TextEdit(range: $0.range, replacement: array)] }
        ?? source.insertion(last: "EventParameters", array, into: fields.members)
    }
    let list = values.map { "'\($0)' \($1)" }.joined(separator: " and ")
    add(.safe, .defaultUsed, at: key, "write the default of \(list)", edits)
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

  mutating func scanParameter(_ value: LocatedNode) {
    guard let fields = fields(of: value, as: .parameter),
      let name = fields["ParameterID"]?.node, name.kind == .string,
      let written = fields["ParameterValue"], let number = written.node.number,
      let id = scanDynamicID(name)
    else { return }
    limit(written, number, to: id.range, id.rawValue)
    patternEnd = max(patternEnd, scanTime(fields["Time"]))
  }

  private mutating func scanDynamicID(_ name: JSONView) -> DynamicParameterID? {
    if let id = DynamicParameterID(matching: name) { return id }
    let answer = names.answer(for: name.shortString, among: DynamicParameterID.names)
    if let answer, let kind = answer.kind {
      rename(name, to: answer.name, kind, .parameterIDMisspelled)
    }
    return nil
  }

  /// Finds the fix of a negative time; gives the seconds that are used.
  private mutating func scanTime(_ value: LocatedNode?) -> Double {
    guard let value, let time = value.node.number else { return 0 }
    if time < 0 { replace(.safe, .timeNegative, value, by: "0", "write the time 0, as is used") }
    return max(time, 0)
  }

  /// Finds the fixes of a curve; gives the offset of its list of points if that is empty.
  mutating func scanCurve(_ value: LocatedNode) -> Int? {
    guard let fields = fields(of: value, as: .curve),
      let name = fields["ParameterID"]?.node, name.kind == .string,
      let id = scanDynamicID(name), let list = fields["ParameterCurveControlPoints"],
      list.node.kind == .array
    else { return nil }
    let start = scanTime(fields["Time"])
    let points = source.elements(of: list)
    if points.isEmpty { return list.node.offset }
    var times: [(used: Double, written: LocatedNode)] = []
    for point in points {
      guard let parts = self.fields(of: point, as: .point),
        let time = parts["Time"], time.node.number != nil,
        let written = parts["ParameterValue"], let number = written.node.number
      else { continue }
      limit(written, number, to: id.range, id.rawValue)
      times.append((scanTime(time), time))
    }
    guard times.count == points.count else { return nil }
    sortPoints(points, times.map(\.used))
    if let first = times.min(by: { $0.used < $1.used }), first.used == start, start > 0 {
      suspects.append(
        SuspectCurve(
          origin: points[0].node.offset, end: start + times.reduce(0) { max($0, $1.used) },
          start: first.written, times: times.map(\.written)))
    }
    return nil
  }

  private mutating func sortPoints(_ points: [LocatedNode], _ times: [Double]) {
    guard let index = times.indices.dropFirst().first(where: { times[$0] < times[$0 - 1] }) else {
      return
    }
    let order = times.indices.sorted { times[$0] < times[$1] }
    add(
      .safe, .curvePointsOutOfOrder, at: points[index].node.offset,
      "put the control points in the order of time", isReordering: true,
      source.permutation(of: points.map(\.range), by: order))
  }
}
