import JSONText

extension PatternReader {
  mutating func readCurve(_ node: JSONView, key offset: Int) throws(AHAPError) {
    guard node.kind == .object else {
      return try report(
        .parameterFieldWrongType, at: node.offset,
        "'ParameterCurve' must be an object, not \(node.kind.phrase)")
    }
    var name: JSONView?
    var time: JSONView?
    var points: JSONView?
    for (key, member) in node.members {
      switch key {
      case "ParameterID": name = member
      case "Time": time = member
      case "ParameterCurveControlPoints": points = member
      default: try reportUnknown(key, in: "a curve", known: Keys.curve)
      }
    }
    if let points, points.kind == .array { entries.controlPoints += points.count }
    guard let name = try requiredParameterID(name, of: "the curve", at: offset) else { return }
    guard let points else {
      return try report(
        .parameterFieldMissing, at: offset, "the curve has no 'ParameterCurveControlPoints'")
    }
    guard points.kind == .array else {
      return try report(
        .parameterFieldWrongType, at: points.offset,
        "'ParameterCurveControlPoints' must be an array, not \(points.kind.phrase)")
    }
    guard let id = try dynamicID(name) else { return }
    let start = try optionalTime(time, of: "the curve")
    var curve = ParameterCurve(id: id, time: start, points: [], order: nextOrder)
    let origins = try readPoints(points, of: &curve)
    try reportPoints(of: curve, in: points, origins: origins, key: offset)
    if zip(curve.points, curve.points.dropFirst()).contains(where: { $0.time > $1.time }) {
      curve.points = curve.points.enumerated()
        .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
    if let first = curve.points.first, first.time > 0, let origin = origins.first {
      lateCurves.append((pattern.curves.count, origin))
    }
    curve.source = mark(offset)
    pattern.curves.append(curve)
  }

  /// Reads the control points in the order of the text; gives the byte offset of each.
  private mutating func readPoints(
    _ list: JSONView, of curve: inout ParameterCurve
  ) throws(AHAPError) -> [Int] {
    var origins: [Int] = []
    origins.reserveCapacity(list.count)
    curve.points.reserveCapacity(list.count)
    for node in list.elements {
      guard node.kind == .object else {
        try report(
          .parameterFieldWrongType, at: node.offset,
          "a control point must be an object, not \(node.kind.phrase)")
        continue
      }
      var timeNode: JSONView?
      var valueNode: JSONView?
      for (key, member) in node.members {
        switch key {
        case "Time": timeNode = member
        case "ParameterValue": valueNode = member
        default: try reportUnknown(key, in: "a control point", known: Keys.point)
        }
      }
      guard
        let time = try requiredNumber(timeNode, "Time", of: "the control point", at: node.offset),
        let value = try requiredNumber(
          valueNode, "ParameterValue", of: "the control point", at: node.offset)
      else { continue }
      curve.points.append(
        ParameterCurve.Point(
          time: try nonNegative(time, of: "the control point", at: timeNode ?? node),
          value: try limited(value, to: curve.id.range, curve.id.rawValue, at: valueNode ?? node)))
      origins.append(node.offset)
    }
    return origins
  }

  /// Reports the number and the order of the points as they are written.
  private mutating func reportPoints(
    of curve: ParameterCurve, in list: JSONView, origins: [Int], key: Int
  ) throws(AHAPError) {
    guard let first = origins.first else {
      return try report(
        .curveEmpty, at: list.offset, "the curve has no control points and changes nothing")
    }
    let limit = ParameterCurve.safePointCount
    if origins.count == 1 {
      try report(
        .curveOnePoint, at: first, "the curve has one control point: a step whose value holds")
    } else if origins.count > limit {
      try report(
        .curveTooManyPoints, at: origins[limit],
        "the curve has \(origins.count) control points; \(limit) are safe on a phone")
    }
    let pairs = zip(curve.points, curve.points.dropFirst())
    if let index = pairs.enumerated().first(where: { $1.0.time > $1.1.time })?.offset {
      try report(
        .curvePointsOutOfOrder, at: origins[index + 1],
        "the control point stands after a later one; the points are sorted by time")
    }
    // Points become neighbours by their times, wherever they stand.
    let order = curve.points.indices.sorted {
      (curve.points[$0].time, $0) < (curve.points[$1].time, $1)
    }
    let neighbours = zip(order, order.dropFirst())
    if let (first, second) = neighbours.first(where: {
      curve.points[$0].time == curve.points[$1].time
    }) {
      try report(
        .curveJump, at: origins[second],
        "the control point shares the time \(curve.points[first].time.plain) s with the one "
          + "before; leave 1 ms between them")
    }
  }
}
