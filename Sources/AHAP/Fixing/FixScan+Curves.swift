import JSONText

extension FixScan {
  mutating func scanParameter(_ value: LocatedNode) {
    guard value.node.kind == .object else { return }
    let fields = Fields(value, known: Keys.parameter, in: source)
    _ = scanKeys(fields, known: Keys.parameter)
    guard let name = fields["ParameterID"]?.node, name.kind == .string,
      let written = fields["ParameterValue"], let number = written.node.number,
      let id = scanDynamicID(name)
    else { return }
    limit(written, number, to: id.range, id.rawValue)
    patternEnd = max(patternEnd, scanTime(fields["Time"]))
  }

  private mutating func scanDynamicID(_ name: JSONNode) -> DynamicParameterID? {
    if let id = DynamicParameterID(matching: name) { return id }
    scanName(name, among: DynamicParameterID.names, .parameterIDMisspelled)
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
    guard value.node.kind == .object else { return nil }
    let fields = Fields(value, known: Keys.curve, in: source)
    _ = scanKeys(fields, known: Keys.curve)
    guard let name = fields["ParameterID"]?.node, name.kind == .string else { return nil }
    guard let id = scanDynamicID(name), let list = fields["ParameterCurveControlPoints"],
      list.node.kind == .array
    else { return nil }
    let start = scanTime(fields["Time"])
    let points = source.elements(of: list)
    if points.isEmpty { return list.node.offset }
    var times: [(used: Double, written: LocatedNode)] = []
    for point in points where point.node.kind == .object {
      let parts = Fields(point, known: Keys.point, in: source)
      _ = scanKeys(parts, known: Keys.point)
      guard let time = parts["Time"], time.node.number != nil,
        let written = parts["ParameterValue"], let number = written.node.number
      else { continue }
      limit(written, number, to: id.range, id.rawValue)
      times.append((scanTime(time), time))
    }
    guard times.count == points.count else { return nil }
    sortPoints(points, times.map(\.used))
    let first = times.min { $0.used < $1.used }
    if let first, first.used == start, start > 0 {
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
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    add(
      .safe, .curvePointsOutOfOrder, at: points[index].node.offset,
      "put the control points in the order of time", isReordering: true,
      source.permutation(of: points.map(\.range), by: order))
  }
}
