// SPDX-License-Identifier: Apache-2.0

public import AHAP
import JSONText

extension PatternText {
  /// Turns a batch into replacements of this text, and does nothing yet.
  ///
  /// What is there keeps its bytes, what is new takes the layout of its neighbours, and a number that
  /// says already what is asked stays as it is written. Linear in the number of entries.
  public func edits(for operations: [Operation]) throws(OperationError) -> TextEdits {
    guard isUTF8 else {
      throw OperationError(
        operation: nil, message: "the text is not UTF-8, so it is shown and not edited")
    }
    guard bytes.count <= Self.longestEditable else { throw Self.tooLong(bytes.count) }
    let edits = try replacements(for: operations)
    let length = bytes.count + edits.totalGrowth
    guard length <= Self.longestEditable else { throw Self.tooLong(length) }
    return edits
  }

  private static func tooLong(_ length: Int) -> OperationError {
    OperationError(
      operation: nil,
      message: "the text has \(length) bytes; at most \(longestEditable) are edited")
  }

  private func replacements(for operations: [Operation]) throws(OperationError) -> TextEdits {
    for (index, operation) in operations.enumerated() {
      guard case .text(let edits) = operation else { continue }
      guard operations.count == 1 else {
        throw OperationError(
          operation: index, message: "replacements of the text must be alone in their batch")
      }
      return try textEdits(edits, operation: index)
    }
    guard let document else {
      throw OperationError(
        operation: nil,
        message: "the text cannot be read (\(broken?.message ?? "it is no pattern")), so only the "
          + "text itself can be edited")
    }
    let source = SourceText(bytes: bytes)
    let found = document.withUnsafeView { root -> Result<[TextEdit], OperationError> in
      guard let list = PatternList(root, in: source) else { return .success([]) }
      var writer = BatchWriter(
        source: source, root: source.located(root: root), list: list, entries: entries)
      do throws(OperationError) {
        return .success(try writer.edits(for: operations))
      } catch {
        return .failure(error)
      }
    }
    return try checked(try found.get())
  }

  /// Counts the replacements of a page in bytes.
  private func textEdits(
    _ edits: [UTF16Edit], operation: Int
  ) throws(OperationError) -> TextEdits {
    var found: [TextEdit] = []
    for edit in edits {
      guard edit.from <= edit.to, let start = offsets.byte(of: edit.from),
        let end = offsets.byte(of: edit.to)
      else {
        throw OperationError(
          operation: operation,
          message: "\(edit.from) to \(edit.to) is no run of characters of a text of "
            + "\(offsets.count) UTF-16 units")
      }
      found.append(TextEdit(range: start..<end, replacement: edit.insert))
    }
    return try checked(found, operation: operation)
  }

  private func checked(
    _ edits: [TextEdit], operation: Int? = nil
  ) throws(OperationError) -> TextEdits {
    do throws(TextEditFault) {
      return try TextEdits(edits, on: bytes)
    } catch {
      throw OperationError(
        operation: operation,
        message: "replacement \(error.edit) of the text does not fit: \(error.message)")
    }
  }

  /// Replacements as a page counts them.
  public func utf16(_ edits: [TextEdit]) -> [UTF16Edit] {
    edits.map { edit in
      UTF16Edit(
        from: offsets.utf16(of: edit.range.lowerBound),
        to: offsets.utf16(of: edit.range.upperBound), insert: edit.replacement)
    }
  }
}

/// Collects what a batch does to each entry, and writes it.
///
/// The stages: `collect` each operation, refusing what contradicts another; then of each entry that
/// changes its replacements, and those of the list of entries.
private struct BatchWriter {
  let source: SourceText
  let root: LocatedNode
  let list: PatternList
  let entries: [PatternEntry]
  private var metadata: [String: JSONValue?] = [:]
  private var plans: [Int: EntryPlan] = [:]
  private var removed: [Int: Int] = [:]
  private var arrivals: [(before: Int, arrival: Arrival)] = []

  /// The layouts that were looked for, by the entry beside which something is new.
  private var layouts: [Int: EntryLayout] = [:]

  private enum Arrival {
    case new(PatternEntry)
    case copy(of: Int, EntryPlan)
  }

  init(source: SourceText, root: LocatedNode, list: PatternList, entries: [PatternEntry]) {
    self.source = source
    self.root = root
    self.list = list
    self.entries = entries
  }

  mutating func edits(for operations: [Operation]) throws(OperationError) -> [TextEdit] {
    for (index, operation) in operations.enumerated() {
      do throws(EntryFault) {
        try collect(operation, number: index)
      } catch {
        throw OperationError(operation: index, message: error.message)
      }
    }
    return try write()
  }

  private mutating func collect(_ operation: Operation, number: Int) throws(EntryFault) {
    switch operation {
    case .set(let entry, let change):
      try plan(entry, number) { plan throws(EntryFault) in
        try plan.set(change, operation: number)
      }
    case .point(let entry, let at, let time, let value):
      try plan(entry, number) { plan throws(EntryFault) in
        try plan.move(point: at, time: time, value: value, operation: number)
      }
    case .addPoint(let entry, let at, let point):
      try plan(entry, number) { plan throws(EntryFault) in
        try plan.add(point, before: at, operation: number)
      }
    case .removePoints(let entry, let at):
      try plan(entry, number) { plan throws(EntryFault) in
        try plan.remove(points: at, operation: number)
      }
    case .insert(let at, let entry):
      try check(place: at)
      arrivals.append((at, .new(try entry.checked())))
    case .copy(let entry, let to, let changes):
      try check(entry)
      try check(place: to)
      var copy = EntryPlan(entries[entry], operation: number)
      for change in changes { try copy.set(change, operation: number) }
      try copy.finish()
      arrivals.append((to, .copy(of: entry, copy)))
    case .remove(let indices):
      for index in indices {
        try check(index)
        guard plans[index] == nil else {
          throw EntryFault("entry \(index) is changed by the same batch")
        }
        guard removed.updateValue(number, forKey: index) == nil else {
          throw EntryFault("entry \(index) is removed twice")
        }
      }
    case .metadata(let key, let value):
      guard metadata.updateValue(value, forKey: key) == nil else {
        throw EntryFault("'\(key)' of Metadata is set twice")
      }
      try MetadataWriter.check(root, source)
    case .text: break
    }
  }

  private mutating func plan(
    _ entry: Int, _ number: Int, _ change: (inout EntryPlan) throws(EntryFault) -> Void
  ) throws(EntryFault) {
    try check(entry)
    guard removed[entry] == nil else {
      throw EntryFault("entry \(entry) is removed by the same batch")
    }
    try change(&plans[entry, default: EntryPlan(entries[entry], operation: number)])
  }

  private func check(_ entry: Int) throws(EntryFault) {
    guard entries.indices.contains(entry) else {
      throw EntryFault("there is no entry \(entry): the pattern has \(entries.count) entries")
    }
  }

  private func check(place: Int) throws(EntryFault) {
    guard (0...entries.count).contains(place) else {
      throw EntryFault(
        "an entry cannot be put at \(place): the pattern has \(entries.count) entries")
    }
  }

  private mutating func write() throws(OperationError) -> [TextEdit] {
    var edits: [TextEdit] = []
    for index in plans.keys.sorted() {
      guard var plan = plans[index] else { continue }
      do throws(EntryFault) {
        try plan.finish()
      } catch {
        throw OperationError(operation: plan.lastOperation, message: error.message)
      }
      edits += self.edits(plan, of: index)
    }
    edits += MetadataWriter.edits(metadata, of: root, in: source)
    guard !arrivals.isEmpty || !removed.isEmpty else { return edits }
    var change = ListEdit(items: list.entries.map(\.range), of: list.array)
    for index in removed.keys { change.remove(index) }
    for (before, arrival) in arrivals { change.insert(text(of: arrival, before), before: before) }
    return edits + change.edits(in: source) { EntryLayout.ofEmpty(list, source) }
  }

  private func edits(_ plan: EntryPlan, of index: Int) -> [TextEdit] {
    EntryWriter.edits(plan, of: list.entries[index], in: source) { layout(near: index) }
  }

  private func layout(near index: Int) -> EntryLayout {
    EntryLayout(near: index, in: list, entries, source)
  }

  private mutating func text(of arrival: Arrival, _ place: Int) -> String {
    switch arrival {
    case .new(let entry):
      let near = max(place - 1, 0)
      let layout = layouts[near] ?? layout(near: near)
      layouts[near] = layout
      return layout.text(of: entry)
    case .copy(let index, let plan):
      let entry = list.entries[index]
      let edits = edits(plan, of: index)
      let start = entry.range.lowerBound
      let local = edits.map {
        TextEdit(
          range: $0.range.lowerBound - start..<$0.range.upperBound - start,
          replacement: $0.replacement)
      }
      let bytes = Array(source.bytes[entry.range])
      // Replacements within one entry are apart from each other; else the copy would be no copy.
      guard let sorted = try? TextEdits(local, on: bytes) else {
        preconditionFailure("the replacements in a copy of entry \(index) overlap: \(local)")
      }
      return String(decoding: sorted.applied(to: bytes), as: UTF8.self)
    }
  }
}
