// SPDX-License-Identifier: Apache-2.0

import JSONText

/// Finds what can be fixed in one parsed text, by the rules of the reader.
///
/// It works on the text's tree, not on the pattern, so that a file which cannot be read until a name
/// is right can be fixed. The stages: `scanLayout`, `scanTop`, then for each entry `scanEvent`,
/// `scanParameter` or `scanCurve`, and at last `scanWhole`.
struct FixScan {
  /// A curve whose first point equals its time, judged when the pattern's end is known.
  struct SuspectCurve {
    var origin: Int
    var end: Double
    var start: LocatedNode
    var times: [LocatedNode]
  }

  struct TimedEvent {
    var key: Int
    var time: Double
    /// The index of its entry, if the entry can change places.
    var slot: Int?
  }

  let source: SourceText
  let document: JSONDocument
  let kinds: Set<FixKind>
  var found: [Fix] = []
  var names = NameFixer()
  var suspects: [SuspectCurve] = []
  var events: [TimedEvent] = []
  /// Whether an event has no usable time or kind, so that nothing is known of the order.
  var hasUnknownEvent = false
  var patternEnd = 0.0
  /// Where events end, in seconds.
  var eventEnds: [Double] = []

  /// Finds the fixes of some kinds in a parsed text; linear but for the sorting of what is out of
  /// order.
  static func fixes(
    in document: JSONDocument, bytes: [UInt8], kinds: Set<FixKind>
  ) -> [Fix] {
    document.withUnsafeView { root in
      var scan = FixScan(source: SourceText(bytes: bytes), document: document, kinds: kinds)
      let root = scan.source.located(root: root)
      scan.scanLayout(root)
      scan.scanTop(root)
      return scan.found
    }
  }

  mutating func add(
    _ kind: FixKind, _ code: DiagnosticCode, at offset: Int, _ summary: String,
    isReordering: Bool = false, bringsToLife: Bool = false, _ edits: [TextEdit]
  ) {
    guard kinds.contains(kind), !edits.isEmpty else { return }
    found.append(
      Fix(
        kind: kind, code: code, position: JSONPosition(unlocated: offset), summary: summary,
        edits: edits, isReordering: isReordering, bringsToLife: bringsToLife))
  }

  mutating func replace(
    _ kind: FixKind, _ code: DiagnosticCode, _ value: LocatedNode, by text: String,
    _ summary: String
  ) {
    add(
      kind, code, at: value.node.offset, summary,
      [TextEdit(range: value.range, replacement: text)])
  }

  private mutating func scanLayout(_ root: LocatedNode) {
    if document.hasByteOrderMark {
      add(
        .safe, .byteOrderMark, at: 0, "remove the byte order mark",
        [TextEdit(range: 0..<3, replacement: "")])
    }
    for offset in document.trailingCommaOffsets {
      add(
        .safe, .trailingComma, at: offset, "remove the comma before a closing bracket",
        [TextEdit(range: offset..<offset + 1, replacement: "")])
    }
    if !document.duplicateKeyOffsets.isEmpty && kinds.contains(.safe) {
      scanDuplicates(root, repeated: Set(document.duplicateKeyOffsets))
    }
  }

  /// Removes the earlier members of each key that an object has twice, anywhere in the text.
  private mutating func scanDuplicates(_ value: LocatedNode, repeated: Set<Int>) {
    if value.node.kind == .array {
      for element in source.elements(of: value) { scanDuplicates(element, repeated: repeated) }
    }
    guard value.node.kind == .object else { return }
    let members = source.members(of: value)
    var removed: [(index: Int, by: Int)] = []
    if members.contains(where: { repeated.contains($0.key.offset) }) {
      // Bytes, not strings: two keys that only look alike are two keys.
      var latest: [[UInt8]: Int] = [:]
      for (index, member) in members.enumerated() {
        let name = Array((member.key.string ?? "").utf8)
        if let earlier = latest[name] { removed.append((earlier, index)) }
        latest[name] = index
      }
      removed.sort { $0.index < $1.index }
    }
    let edits = source.removals(
      of: removed.map(\.index), from: members.map(\.range), closing: value.end - 1)
    for (removal, edit) in zip(removed, edits) {
      let key = members[removal.by].key
      add(
        .safe, .duplicateKey, at: key.offset,
        "remove the earlier '\(key.shortString)', of which the last one counts", [edit])
    }
    for member in members { scanDuplicates(member.value, repeated: repeated) }
  }

  private mutating func scanTop(_ root: LocatedNode) {
    guard let fields = fields(of: root, as: .file) else { return }
    scanVersion(fields)
    guard let list = fields["Pattern"], list.node.kind == .array else { return }
    let entries = source.elements(of: list)
    var removed: [(index: Int, code: DiagnosticCode, offset: Int, summary: String)] = []
    for (index, entry) in entries.enumerated() {
      guard let fields = self.fields(of: entry, as: .entry) else { continue }
      if fields.members.isEmpty {
        removed.append((index, .entryAmbiguous, entry.node.offset, "remove the empty entry"))
      } else if let points = scanEntry(fields, slot: index) {
        removed.append((index, .curveEmpty, points, "remove the curve without points"))
      }
    }
    let edits = source.removals(
      of: removed.map(\.index), from: entries.map(\.range), closing: list.end - 1)
    for (removal, edit) in zip(removed, edits) {
      add(.safe, removal.code, at: removal.offset, removal.summary, [edit])
    }
    scanWhole(entries)
  }

  private mutating func scanVersion(_ fields: Fields) {
    guard let version = fields["Version"] else {
      guard !fields.meant.contains("Version") else { return }
      return add(
        .safe, .versionMissing, at: fields.object.node.offset, "write the 'Version' 1.0",
        source.insertion(first: "Version", "1.0", into: fields.members))
    }
    if version.node.number != 1 {
      replace(
        .safe, .versionUnusual, version, by: "1.0", "write the 'Version' 1.0, the only one there is"
      )
    } else if version.node.integer != nil {
      replace(.safe, .versionInteger, version, by: "1.0", "write the 'Version' as 1.0")
    }
  }

  /// Gives the offset of an empty list of control points, if that is all that the entry holds.
  private mutating func scanEntry(_ fields: Fields, slot: Int) -> Int? {
    if let index = fields.index(of: "Event") {
      let isAlone = fields["Parameter"] == nil && fields["ParameterCurve"] == nil
      let member = fields.members[index]
      scanEvent(member.value, key: member.key.offset, slot: isAlone ? slot : nil)
    }
    if let parameter = fields["Parameter"] { scanParameter(parameter) }
    guard let curve = fields["ParameterCurve"], let points = scanCurve(curve) else { return nil }
    if fields.members.count == 1 { return points }
    if let index = fields.index(of: "ParameterCurve"), !fields.isRepeated("ParameterCurve") {
      add(
        .safe, .curveEmpty, at: points, "remove the curve without points",
        source.removal(of: index, from: fields))
    }
    return nil
  }

  /// Takes the members of an object and finds the right names of its misspelled keys; nil where the
  /// value is no object.
  ///
  /// A key is renamed where its value fits the right one, which is not there and which no other key
  /// resembles. Where nothing is played without it, that is safe.
  mutating func fields(of value: LocatedNode, as shape: ObjectShape) -> Fields? {
    guard value.node.kind == .object else { return nil }
    var fields = Fields(value, known: shape.names, in: source)
    guard !fields.others.isEmpty else { return fields }
    let answers = fields.others.compactMap { member in
      names.answer(for: member.key.shortString, among: shape.names)
        .map { (member: member, answer: $0) }
    }
    let meant = Self.counts(answers.map(\.answer.name))
    let type = fields["EventType"]?.node
    let event = type.flatMap { $0.kind == .string ? HapticEvent.Kind(matching: $0) : nil }
    for (member, answer) in answers {
      guard let kind = answer.kind, fields[answer.name] == nil, meant[answer.name] == 1,
        shape.keys.first(where: { $0.name == answer.name })?.content.fits(member.value.node) == true
      else { continue }
      let isRequired = shape.requires(answer.name, ofType: event)
      rename(
        member.key, to: answer.name, isRequired ? .safe : kind,
        isRequired ? shape.lack : .keyMisspelled, bringsToLife: isRequired)
    }
    fields.meant = Set(meant.keys)
    return fields
  }

  static func counts(_ names: [String]) -> [String: Int] {
    names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  mutating func rename(
    _ node: JSONView, to name: String, _ kind: FixKind, _ code: DiagnosticCode,
    bringsToLife: Bool = false
  ) {
    add(
      kind, code, at: node.offset, "write '\(name)' for '\(node.shortString)'",
      bringsToLife: bringsToLife,
      [TextEdit(range: node.offset..<source.stringEnd(node), replacement: "\"\(name)\"")])
  }

  private mutating func scanWhole(_ entries: [LocatedNode]) {
    let ends = eventEnds.sorted()
    for curve in suspects {
      let isBeyond = curve.end > patternEnd + 0.001
      // Counted from its own time the curve ends with an event: it is meant so, as in Apple's Jump.
      let near = ends.firstIndexAfter { $0 - curve.end <= -0.001 }
      if !isBeyond, near < ends.count, ends[near] - curve.end < 0.001 { continue }
      let start = source.text(curve.start.range)
      add(
        .rebase, isBeyond ? .curvePointsAbsolute : .curveFirstPointLate, at: curve.origin,
        "count the control points from the curve's 'Time' \(start)",
        curve.times.map { time in
          TextEdit(
            range: time.range,
            replacement: DecimalDifference.text(source.text(time.range), minus: start))
        })
    }
    sortEvents(entries)
  }

  /// Puts the entries of events into the order of time, among the places that events have.
  ///
  /// Parameters and curves keep their places, and with them which of two at one time wins.
  private mutating func sortEvents(_ entries: [LocatedNode]) {
    guard !hasUnknownEvent,
      let late = events.indices.dropFirst().first(where: {
        events[$0].time < events[$0 - 1].time
      })
    else { return }
    let movable = events.filter { $0.slot != nil }
    let order = movable.indices.sorted { movable[$0].time < movable[$1].time }
    var sorted = order.map { movable[$0].time }.makeIterator()
    var last = 0.0
    for event in events {
      let time = event.slot == nil ? event.time : sorted.next() ?? event.time
      guard time >= last else { return }
      last = time
    }
    add(
      .safe, .eventsOutOfOrder, at: events[late].key, "put the events in the order of time",
      isReordering: true,
      source.permutation(
        of: movable.compactMap { $0.slot.map { entries[$0].range } }, by: order))
  }
}
