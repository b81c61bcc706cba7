// SPDX-License-Identifier: Apache-2.0

import AHAP

/// All that a batch does to one entry, and what becomes of the entry.
struct EntryPlan {
  struct PointMove {
    var time: Double?
    var value: Double?
  }

  /// The entry before the batch.
  let old: PatternEntry
  /// The entry after it.
  private(set) var new: PatternEntry
  /// The properties that change, in the order of the operations.
  private(set) var keys: [EntryKey] = []
  private var asked: [EntryKey] = []
  private(set) var moves: [Int: PointMove] = [:]
  private(set) var added: [(before: Int, point: ParameterCurve.Point)] = []
  private(set) var removedPoints: Set<Int> = []
  /// The operation that changes the entry last.
  private(set) var lastOperation: Int

  init(_ entry: PatternEntry, operation: Int) {
    old = entry
    new = entry
    lastOperation = operation
  }

  mutating func set(_ change: EntryChange, operation: Int) throws(EntryFault) {
    lastOperation = operation
    guard !asked.contains(change.key) else {
      throw EntryFault("the \(change.key.rawValue) of the entry is set twice")
    }
    asked.append(change.key)
    try new.checkHas(change.key)
    // What is written so already stays as it is written, digit by digit.
    guard change.value != old[change.key] else { return }
    try new.set(change.key, change.value)
    keys.append(change.key)
  }

  mutating func move(
    point index: Int, time: Double?, value: Double?, operation: Int
  ) throws(EntryFault) {
    lastOperation = operation
    let point = try self.point(index)
    guard moves[index] == nil else { throw EntryFault("point \(index) is moved twice") }
    guard !removedPoints.contains(index) else {
      throw EntryFault("point \(index) is removed by the same batch")
    }
    let wanted = try PatternEntry.checked(
      ParameterCurve.Point(time: time ?? max(point.time, 0), value: value ?? 0))
    moves[index] = PointMove(
      time: time == nil || time == point.time ? nil : wanted.time,
      value: value == nil || value == point.value ? nil : wanted.value)
  }

  mutating func add(
    _ point: ParameterCurve.Point, before index: Int, operation: Int
  ) throws(EntryFault) {
    lastOperation = operation
    let count = try points().count
    guard (0...count).contains(index) else {
      throw EntryFault("a point cannot be put at \(index): the curve has \(count) points")
    }
    added.append((index, try PatternEntry.checked(point)))
  }

  mutating func remove(points indices: [Int], operation: Int) throws(EntryFault) {
    lastOperation = operation
    for index in indices {
      _ = try point(index)
      guard moves[index] == nil else {
        throw EntryFault("point \(index) is moved by the same batch")
      }
      guard removedPoints.insert(index).inserted else {
        throw EntryFault("point \(index) is removed twice")
      }
    }
  }

  /// Whether points change.
  var changesPoints: Bool { !moves.isEmpty || !added.isEmpty || !removedPoints.isEmpty }

  /// Puts the points together, and checks that the entry is still one of its kind.
  ///
  /// Values that nobody touches are not judged.
  mutating func finish() throws(EntryFault) {
    if changesPoints { new.points = movedPoints() }
    guard changesPoints || keys.contains(where: Self.deciding.contains) else { return }
    let values = added.map(\.point.value) + moves.values.compactMap(\.value)
    try new.check(values: keys.contains(.parameter) ? nil : values)
  }

  /// What makes an entry one of its kind.
  private static let deciding: Set<EntryKey> = [.kind, .duration, .path, .parameter, .value]

  private func movedPoints() -> [ParameterCurve.Point] {
    let old = old.points ?? []
    let arrivals = added.indices.sorted { (added[$0].before, $0) < (added[$1].before, $1) }
      .map { added[$0] }
    var result: [ParameterCurve.Point] = []
    var next = arrivals.startIndex
    for index in 0...old.count {
      while next < arrivals.endIndex, arrivals[next].before == index {
        result.append(arrivals[next].point)
        next += 1
      }
      guard index < old.count, !removedPoints.contains(index) else { continue }
      let move = moves[index]
      result.append(
        ParameterCurve.Point(
          time: move?.time ?? old[index].time, value: move?.value ?? old[index].value))
    }
    return result
  }

  private func points() throws(EntryFault) -> [ParameterCurve.Point] {
    guard old.kind == .curve, let points = old.points else {
      throw EntryFault("\(old.kind.phrase) has no points")
    }
    return points
  }

  private func point(_ index: Int) throws(EntryFault) -> ParameterCurve.Point {
    let points = try points()
    guard points.indices.contains(index) else {
      throw EntryFault("there is no point \(index): the curve has \(points.count) points")
    }
    return points[index]
  }
}
