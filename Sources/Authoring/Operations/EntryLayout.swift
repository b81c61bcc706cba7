// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText

/// How entries are laid out: taken from a neighbour, so that what is new looks like what is there.
///
/// All entries lie equally deep, so their white space can be taken as it is. What no neighbour shows, such
/// as the list of parameters where no event has any, follows from the level around it.
struct EntryLayout {
  /// The entry, its content, its list of parameters or points, and one of these.
  enum Level: Int, CaseIterable {
    case entry
    case content
    case list
    case item
  }

  /// How many entries on either side are asked for what the nearest one does not show.
  private static let reach = 8

  private var levels: [ListLayout?] = Array(repeating: nil, count: Level.allCases.count)
  private(set) var colon: String

  /// Takes the layout of the entries around an index, the one of the index first.
  init(near index: Int, in list: PatternList, _ entries: [PatternEntry], _ source: SourceText) {
    colon = source.isCompact ? ":" : ": "
    var hasColon = false
    var distance = 0
    while distance <= Self.reach, levels.contains(nil) {
      for near in distance == 0 ? [index] : [index - distance, index + distance]
      where list.entries.indices.contains(near) {
        let entry = list.entries[near]
        guard let shape = EntryShape(entry, entries[near].kind, in: source) else { continue }
        learn(from: entry, shape, source)
        if !hasColon {
          let (key, value) = (shape.content.key, shape.content.value)
          colon = source.text(source.stringEnd(key)..<value.node.offset)
          hasColon = true
        }
      }
      distance += 1
    }
    complete(list, source)
  }

  subscript(level: Level) -> ListLayout {
    levels[level.rawValue] ?? .inline(padding: "", isCompact: true)
  }

  /// Fills levels that are not known from an entry that is laid out alike as far as both are known.
  private mutating func learn(
    from entry: LocatedNode, _ shape: EntryShape, _ source: SourceText
  ) {
    let members = source.members(of: shape.content.value)
    let list = members.last { $0.key.matches(shape.listName) && $0.value.node.kind == .array }?
      .value
    let items = list.map { source.elements(of: $0) } ?? []
    let item = items.first { $0.node.kind == .object && $0.node.count > 0 }
    let found = [
      Self.layout(of: entry, source.members(of: entry).map(\.range), source),
      Self.layout(of: shape.content.value, members.map(\.range), source),
      list.flatMap { Self.layout(of: $0, items.map(\.range), source) },
      item.flatMap { Self.layout(of: $0, source.members(of: $0).map(\.range), source) },
    ]
    for level in found.indices {
      if levels[level] == nil { levels[level] = found[level] }
      guard let own = levels[level], own.open == found[level]?.open else { return }
    }
  }

  private static func layout(
    of list: LocatedNode, _ items: [Range<Int>], _ source: SourceText
  ) -> ListLayout? {
    guard let first = items.first, let last = items.last else { return nil }
    let open = source.text(list.node.offset + 1..<first.lowerBound)
    let between =
      items.count > 1
      ? source.text(items[0].upperBound..<items[1].lowerBound)
      : open.contains { $0.isNewline } ? "," + open : source.isCompact ? "," : ", "
    // A comma behind the last item is a slip that is not repeated.
    let close = source.text(last.upperBound..<list.end - 1).filter { $0 != "," }
    return ListLayout(open: open, between: between, close: close)
  }

  /// Fills in what no entry shows.
  private mutating func complete(_ list: PatternList, _ source: SourceText) {
    let padding = source.isCompact ? "" : " "
    let isSpread = list.opening.contains { $0.isNewline }
    let unit = Self.unit(of: list, levels[0], isSpread: isSpread)
    for level in Level.allCases where levels[level.rawValue] == nil {
      let outer =
        level == .entry
        ? isSpread ? list.opening + unit : nil
        : self[Level.allCases[level.rawValue - 1]].isSpread
          ? self[Level.allCases[level.rawValue - 1]].open : nil
      // One parameter, one point is a line, as in the canonical form.
      if let outer, level != .item {
        levels[level.rawValue] = .spread(outer + unit, outer: outer)
      } else {
        let brackets = level == .list ? "" : padding
        levels[level.rawValue] = .inline(padding: brackets, isCompact: source.isCompact)
      }
    }
  }

  /// The layout of a `Pattern` that is empty.
  static func ofEmpty(_ list: PatternList, _ source: SourceText) -> ListLayout {
    guard list.opening.contains(where: \.isNewline) else {
      return .inline(padding: "", isCompact: source.isCompact)
    }
    let unit = unit(of: list, nil, isSpread: true)
    return .spread(list.opening + unit, outer: list.opening)
  }

  /// What a level is indented by: as the file's own keys are, or as an entry is within itself.
  private static func unit(of list: PatternList, _ entry: ListLayout?, isSpread: Bool) -> String {
    if let entry, entry.isSpread, entry.open.hasPrefix(entry.close) {
      return String(entry.open.dropFirst(entry.close.count))
    }
    let indent = list.opening.drop { $0.isNewline }
    return isSpread && !indent.isEmpty ? String(indent) : "  "
  }
}

extension EntryLayout {
  /// Writes an entry.
  func text(of entry: PatternEntry) -> String {
    var members: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { members.append(member(name, value)) }
    }
    let name: String
    switch entry.kind {
    case .parameter, .curve:
      name = entry.kind == .curve ? "ParameterCurve" : "Parameter"
      add("ParameterID", entry.parameter.map(Self.quoted))
      if entry.kind == .parameter { add("ParameterValue", entry.value?.written) }
      add("Time", entry.time.written)
      if entry.kind == .curve {
        add("ParameterCurveControlPoints", list((entry.points ?? []).map(text(of:))))
      }
    default:
      name = "Event"
      add("Time", entry.time.written)
      add("EventType", entry.eventType.map { Self.quoted($0.rawValue) })
      add("EventDuration", entry.duration?.written)
      add("EventWaveformPath", entry.path.map(Self.quoted))
      add("EventWaveformUseVolumeEnvelope", entry.envelope.map { "\($0)" })
      add("EventWaveformLoopEnabled", entry.loop.map { "\($0)" })
      let parameters = EntryKey.eventParameters.compactMap { _, id in
        entry.parameters[id].map { text(of: id, $0) }
      }
      add("EventParameters", parameters.isEmpty ? nil : list(parameters))
    }
    let content = self[.content].text(of: members, in: ("{", "}"))
    return self[.entry].text(of: [member(name, content)], in: ("{", "}"))
  }

  /// Writes a parameter of an event.
  func text(of id: EventParameterID, _ value: Double) -> String {
    item([member("ParameterID", Self.quoted(id.rawValue)), member("ParameterValue", value.written)])
  }

  /// Writes a point of a curve.
  func text(of point: ParameterCurve.Point) -> String {
    item([member("Time", point.time.written), member("ParameterValue", point.value.written)])
  }

  /// Writes a list of parameters or points.
  func list(_ items: [String]) -> String { self[.list].text(of: items, in: ("[", "]")) }

  private func item(_ members: [String]) -> String {
    self[.item].text(of: members, in: ("{", "}"))
  }

  private func member(_ name: String, _ value: String) -> String {
    Self.quoted(name) + colon + value
  }

  static func quoted(_ text: String) -> String { JSONValue.string(text).text(indent: nil) }
}
