// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText

/// Turns what a batch does to one entry into replacements of its text.
struct EntryWriter {
  let source: SourceText
  let plan: EntryPlan
  /// Looks for the layout of what is new, which costs more than most edits.
  let layout: () -> EntryLayout
  let shape: EntryShape
  private let members: [LocatedMember]
  private var list: ListEdit
  private var edits: [TextEdit] = []

  /// The replacements; none where the text says already what is asked.
  static func edits(
    _ plan: EntryPlan, of entry: LocatedNode, in source: SourceText,
    layout: @escaping () -> EntryLayout
  ) -> [TextEdit] {
    guard let shape = EntryShape(entry, plan.old.kind, in: source) else { return [] }
    var writer = Self(source, plan, layout, shape)
    writer.write()
    return writer.edits + writer.list.edits(in: source) { layout()[.content] }
  }

  private init(
    _ source: SourceText, _ plan: EntryPlan, _ layout: @escaping () -> EntryLayout,
    _ shape: EntryShape
  ) {
    self.source = source
    self.plan = plan
    self.layout = layout
    self.shape = shape
    members = source.members(of: shape.content.value)
    list = ListEdit(items: members.map(\.range), of: shape.content.value)
  }

  private mutating func write() {
    let new = plan.new
    if let type = new.eventType, type != plan.old.eventType {
      setMember("EventType", EntryLayout.quoted(type.rawValue))
    }
    for key in plan.keys {
      switch key {
      case .time: setNumber("Time", new.time)
      case .duration: setNumber("EventDuration", new.duration)
      case .path: setText("EventWaveformPath", new.path)
      case .envelope: setFlag("EventWaveformUseVolumeEnvelope", new.envelope)
      case .loop: setFlag("EventWaveformLoopEnabled", new.loop)
      case .parameter: setText("ParameterID", new.parameter)
      case .value: setNumber("ParameterValue", new.value)
      default: break
      }
    }
    let ids = plan.keys.compactMap(\.eventParameter)
    if !ids.isEmpty { setParameters(ids) }
    if plan.changesPoints { setPoints() }
  }

  private mutating func setNumber(_ name: String, _ number: Double?) {
    if let number, value(name)?.number == number { return }
    setMember(name, number?.written)
  }

  private mutating func setText(_ name: String, _ text: String?) {
    if let text, value(name)?.matches(text) == true { return }
    setMember(name, text.map(EntryLayout.quoted))
  }

  private mutating func setFlag(_ name: String, _ flag: Bool?) {
    if let flag, value(name)?.bool == flag { return }
    setMember(name, flag.map { "\($0)" })
  }

  private func value(_ name: String) -> JSONView? {
    members.last { $0.key.matches(name) }?.value.node
  }

  private mutating func setMember(_ name: String, _ text: String?) {
    let place =
      switch name {
      case "Time": 0
      case "EventParameters": members.count
      default: members.firstIndex { $0.key.matches("EventParameters") } ?? members.count
      }
    edits += Self.set(name, text, in: members, of: &list, before: place, source)
  }

  /// Replaces the value of the member that counts, puts one where there is none, or removes all of
  /// the name.
  private static func set(
    _ name: String, _ text: String?, in members: [LocatedMember], of list: inout ListEdit,
    before place: Int, _ source: SourceText
  ) -> [TextEdit] {
    let written = members.indices.filter { members[$0].key.matches(name) }
    guard let text else {
      for index in written { list.remove(index) }
      return []
    }
    if let last = written.last {
      return [TextEdit(range: members[last].value.range, replacement: text)]
    }
    let near = members[max(place - 1, 0)]
    let colon = source.text(source.stringEnd(near.key)..<near.value.node.offset)
    list.insert("\"\(name)\"\(colon)\(text)", before: place)
    return []
  }

  /// Sets, adds and removes parameters of an event.
  private mutating func setParameters(_ ids: [EventParameterID]) {
    let values = plan.new.parameters
    let order = EntryKey.eventParameters.map(\.id)
    lazy var layout = self.layout()
    guard
      let array = members.last(where: { $0.key.matches("EventParameters") })?.value,
      array.node.kind == .array
    else {
      let items = order.filter(ids.contains).compactMap { id in
        values[id].map { layout.text(of: id, $0) }
      }
      if !items.isEmpty { setMember("EventParameters", layout.list(items)) }
      return
    }
    let elements = source.elements(of: array)
    let names = elements.map { element -> EventParameterID? in
      var id: EventParameterID?
      for (key, value) in element.node.members where key.matches("ParameterID") {
        id = EventParameterID(written: value)
      }
      return id
    }
    var items = ListEdit(items: elements.map(\.range), of: array)
    // In the order of the format, so that several that are new stand in it too.
    for id in order where ids.contains(id) {
      let written = names.indices.filter { names[$0] == id }
      guard let value = values[id] else {
        for index in written { items.remove(index) }
        continue
      }
      guard let last = written.last else {
        let later = order.drop { $0 != id }.dropFirst()
        let place = names.firstIndex { $0.map(later.contains) ?? false } ?? names.count
        items.insert(layout.text(of: id, value), before: place)
        continue
      }
      setNumber("ParameterValue", value, in: elements[last])
    }
    edits += items.edits(in: source) { layout[.list] }
  }

  private mutating func setPoints() {
    guard let array = members.last(where: { $0.key.matches(shape.listName) })?.value else { return }
    let elements = source.elements(of: array)
    var items = ListEdit(items: elements.map(\.range), of: array)
    lazy var layout = self.layout()
    for (index, move) in plan.moves.sorted(by: { $0.key < $1.key }) {
      if let time = move.time { setNumber("Time", time, in: elements[index]) }
      if let value = move.value { setNumber("ParameterValue", value, in: elements[index]) }
    }
    for index in plan.removedPoints { items.remove(index) }
    for (before, point) in plan.added { items.insert(layout.text(of: point), before: before) }
    edits += items.edits(in: source) { layout[.list] }
  }

  /// Sets a number of a parameter or point.
  private mutating func setNumber(_ name: String, _ number: Double, in object: LocatedNode) {
    let members = source.members(of: object)
    if members.last(where: { $0.key.matches(name) })?.value.node.number == number { return }
    var list = ListEdit(items: members.map(\.range), of: object)
    edits += Self.set(
      name, number.written, in: members, of: &list, before: members.count, source)
    edits += list.edits(in: source) { layout()[.item] }
  }
}
