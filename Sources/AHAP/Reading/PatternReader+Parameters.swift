// SPDX-License-Identifier: Apache-2.0

import JSONText

/// The keys of the objects that hold a parameter: of an event, a step, a curve, a control point.
struct ParameterKeys: OptionSet {
  var rawValue: UInt8

  static let id = Self(rawValue: 1)
  static let value = Self(rawValue: 2)
  static let time = Self(rawValue: 4)
  static let points = Self(rawValue: 8)
}

/// The values of such an object before they are judged; of a key given twice the last one.
struct ParameterFields {
  var id: JSONView?
  var value: JSONView?
  var time: JSONView?
  var points: JSONView?
  /// Misspelled keys by the keys that were meant.
  var meant: [String: JSONView] = [:]
}

extension PatternReader {
  mutating func readParameter(_ node: JSONView, key offset: Int) throws(ReadingStop) {
    let fields = try fields(
      of: node, "'Parameter'", in: "a parameter", [.id, .value, .time], .parameter)
    let id = try attempt { reader throws(ReadingStop) in
      try reader.dynamicID(fields, of: "the parameter", at: offset)
    }
    let number = try attempt { reader throws(ReadingStop) in
      try reader.requiredNumber(
        fields.value, "ParameterValue", fields, of: "the parameter", at: offset)
    }
    let time = try optionalTime(fields.time, of: "the parameter")
    guard let id, let number else { throw .part }
    let value = try limited(number, to: id.range, id.rawValue, at: fields.value ?? node)
    pattern.parameters.append(
      DynamicParameter(id: id, time: time, value: value, order: nextOrder, source: mark(offset)))
  }

  mutating func readCurve(_ node: JSONView, key offset: Int) throws(ReadingStop) {
    let fields = try fields(
      of: node, "'ParameterCurve'", in: "a curve", [.id, .time, .points], .curve)
    let id = try attempt { reader throws(ReadingStop) in
      try reader.dynamicID(fields, of: "the curve", at: offset)
    }
    let start = try optionalTime(fields.time, of: "the curve")
    guard let points = fields.points, points.kind == .array else {
      throw lack(
        of: fields.points, "ParameterCurveControlPoints", .array, fields, of: "the curve",
        at: offset)
    }
    entries.controlPoints += points.count
    // Without a known parameter the values have no range, and all else of the points can be judged.
    var curve = ParameterCurve(
      id: id ?? .hapticIntensity, time: start, points: [], order: nextOrder)
    let origins = try readPoints(points, of: &curve, hasRange: id != nil)
    try reportPoints(of: curve, in: points, origins: origins)
    guard id != nil else { throw .part }
    if zip(curve.points, curve.points.dropFirst()).contains(where: { $0.time > $1.time }) {
      curve.points.sort { $0.time < $1.time }
    }
    if let first = curve.points.first, first.time > 0, let origin = origins.first {
      lateCurves.append((pattern.curves.count, origin))
    }
    curve.source = mark(offset)
    pattern.curves.append(curve)
  }

  /// Reads the control points in the order of the text; gives the byte offset of each.
  private mutating func readPoints(
    _ list: JSONView, of curve: inout ParameterCurve, hasRange: Bool
  ) throws(ReadingStop) -> [Int] {
    var origins: [Int] = []
    origins.reserveCapacity(list.count)
    curve.points.reserveCapacity(list.count)
    for node in list.elements {
      do throws(ReadingStop) {
        let fields = try fields(
          of: node, "a control point", in: "a control point", [.time, .value], .point)
        let time = try attempt { reader throws(ReadingStop) in
          try reader.requiredNumber(
            fields.time, "Time", fields, of: "the control point", at: node.offset)
        }
        let value = try attempt { reader throws(ReadingStop) in
          try reader.requiredNumber(
            fields.value, "ParameterValue", fields, of: "the control point", at: node.offset)
        }
        guard let time, let value else { continue }
        curve.points.append(
          ParameterCurve.Point(
            time: try nonNegative(time, of: "the control point", at: fields.time ?? node),
            value: hasRange
              ? try limited(
                value, to: curve.id.range, curve.id.rawValue, at: fields.value ?? node) : value))
        origins.append(node.offset)
      } catch .part {}
    }
    return origins
  }

  /// Reports the number and the order of the points as they are written.
  private mutating func reportPoints(
    of curve: ParameterCurve, in list: JSONView, origins: [Int]
  ) throws(ReadingStop) {
    guard let first = origins.first else {
      guard list.count == 0 else { return }
      return try report(
        .curveEmpty, at: list.offset, "the curve has no control points and changes nothing")
    }
    let limit = ParameterCurve.safePointCount
    if list.count == 1 {
      try report(
        .curveOnePoint, at: first, "the curve has one control point: a step whose value holds")
    } else if origins.count > limit {
      try report(
        .curveTooManyPoints, at: origins[limit],
        "the curve has \(origins.count) control points; \(limit) are safe on a phone")
    }
    let points = curve.points
    if let late = points.indices.dropFirst().first(where: { points[$0 - 1].time > points[$0].time })
    {
      try report(
        .curvePointsOutOfOrder, at: origins[late],
        "the control point stands after a later one; the points are sorted by time")
    }
    // Points become neighbours by their times, wherever they stand.
    let order = points.indices.sorted { points[$0].time < points[$1].time }
    let neighbours = zip(order, order.dropFirst())
    if let (first, second) = neighbours.first(where: { points[$0].time == points[$1].time }) {
      try report(
        .curveJump, at: origins[second],
        "the control point shares the time \(points[first].time.plain) s with the one "
          + "before; leave 1 ms between them")
    }
  }

  @inline(__always)
  mutating func fields(
    of node: JSONView, _ subject: String, in place: String, _ keys: ParameterKeys,
    _ shape: @autoclosure () -> ObjectShape
  ) throws(ReadingStop) -> ParameterFields {
    guard node.kind == .object else {
      throw refusal(
        .parameterFieldWrongType, at: node.offset,
        "\(subject) must be an object, not \(node.kind.phrase)")
    }
    var fields = ParameterFields()
    var unknown: [JSONView] = []
    for (key, member) in node.members {
      switch key {
      case "Time" where keys.contains(.time): fields.time = member
      case "ParameterValue" where keys.contains(.value): fields.value = member
      case "ParameterID" where keys.contains(.id): fields.id = member
      case "ParameterCurveControlPoints" where keys.contains(.points): fields.points = member
      default: unknown.append(key)
      }
    }
    if !unknown.isEmpty { fields.meant = try meant(unknown, fields, in: place, shape()) }
    return fields
  }

  private mutating func meant(
    _ unknown: [JSONView], _ fields: ParameterFields, in place: String, _ shape: ObjectShape
  ) throws(ReadingStop) -> [String: JSONView] {
    let lacking = [
      ("ParameterID", fields.id), ("ParameterValue", fields.value), ("Time", fields.time),
      ("ParameterCurveControlPoints", fields.points),
    ].filter { $0.1 == nil && shape.requires($0.0) }
    return try reportUnknown(
      unknown, in: place, known: shape.names, lacking: lacking.map(\.0))
  }

  private mutating func dynamicID(
    _ fields: ParameterFields, of owner: String, at offset: Int
  ) throws(ReadingStop) -> DynamicParameterID {
    let name = try requiredParameterID(fields, of: owner, at: offset)
    if let id = DynamicParameterID(matching: name) { return id }
    throw unknownID(name, known: DynamicParameterID.names, what: "a dynamic parameter")
  }

  mutating func requiredParameterID(
    _ fields: ParameterFields, of owner: String, at offset: Int
  ) throws(ReadingStop) -> JSONView {
    if let node = fields.id, node.kind == .string { return node }
    throw lack(of: fields.id, "ParameterID", .string, fields, of: owner, at: offset)
  }

  @inline(__always)
  mutating func requiredNumber(
    _ node: JSONView?, _ name: String, _ fields: ParameterFields, of owner: String, at offset: Int
  ) throws(ReadingStop) -> Double {
    if let number = node?.number { return number }
    throw lack(of: node, name, .number, fields, of: owner, at: offset)
  }

  private mutating func lack(
    of node: JSONView?, _ name: String, _ wanted: JSONNode.Kind, _ fields: ParameterFields,
    of owner: String, at offset: Int
  ) -> ReadingStop {
    guard let node else {
      return lack(
        .parameterFieldMissing, name, of: owner, meant: fields.meant, at: offset,
        "\(owner) has no '\(name)'")
    }
    return refusal(
      .parameterFieldWrongType, at: node.offset,
      "'\(name)' must be \(wanted.phrase), not \(node.kind.phrase)")
  }

  private mutating func optionalTime(
    _ node: JSONView?, of owner: String
  ) throws(ReadingStop) -> Double {
    guard let node else { return 0 }
    if let time = node.number { return try nonNegative(time, of: owner, at: node) }
    try report(
      .valueWrongType, at: node.offset,
      "'Time' must be a number, not \(node.kind.phrase); 0 is used", used: "0")
    return 0
  }

  private mutating func nonNegative(
    _ time: Double, of owner: String, at node: JSONView
  ) throws(ReadingStop) -> Double {
    guard time < 0 else { return time }
    try report(
      .timeNegative, at: node.offset, "the time of \(owner) is \(time.plain) s; 0 is used",
      used: "0")
    return 0
  }

  @inline(__always)
  mutating func limited(
    _ value: Double, to range: ClosedRange<Double>, _ name: String, at node: JSONView
  ) throws(ReadingStop) -> Double {
    if range.contains(value) { return value }
    let used = value < range.lowerBound ? range.lowerBound : range.upperBound
    try report(
      .valueOutOfRange, at: node.offset,
      "'\(name)' is \(value.plain), outside \(range.lowerBound.plain) to "
        + "\(range.upperBound.plain); \(used.plain) is used",
      used: used.plain, fix: used.plain)
    return used
  }
}
