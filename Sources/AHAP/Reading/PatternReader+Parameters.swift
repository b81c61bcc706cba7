import JSONText

extension PatternReader {
  mutating func readParameter(_ node: JSONView, key offset: Int) throws(AHAPError) {
    guard node.kind == .object else {
      return try report(
        .parameterFieldWrongType, at: node.offset,
        "'Parameter' must be an object, not \(node.kind.phrase)")
    }
    var name: JSONView?
    var value: JSONView?
    var time: JSONView?
    for (key, member) in node.members {
      switch key {
      case "ParameterID": name = member
      case "ParameterValue": value = member
      case "Time": time = member
      default: try reportUnknown(key, in: "a parameter", known: Keys.parameter)
      }
    }
    guard
      let name = try requiredParameterID(name, of: "the parameter", at: offset),
      let number = try requiredNumber(value, "ParameterValue", of: "the parameter", at: offset),
      let id = try dynamicID(name)
    else { return }
    let limitedValue = try limited(number, to: id.range, id.rawValue, at: value ?? node)
    pattern.parameters.append(
      DynamicParameter(
        id: id, time: try optionalTime(time, of: "the parameter"), value: limitedValue,
        order: nextOrder, source: mark(offset)))
  }

  /// Finds a dynamic ID; nil, and reported, if there is none of the name.
  mutating func dynamicID(_ name: JSONView) throws(AHAPError) -> DynamicParameterID? {
    if let id = DynamicParameterID(matching: name) { return id }
    try reportUnknownID(name, known: DynamicParameterID.names, what: "a dynamic parameter")
    return nil
  }

  /// Checks that there is a `ParameterID` and that it is a string.
  mutating func requiredParameterID(
    _ node: JSONView?, of owner: String, at offset: Int
  ) throws(AHAPError) -> JSONView? {
    guard let node else {
      try report(.parameterFieldMissing, at: offset, "\(owner) has no 'ParameterID'")
      return nil
    }
    guard node.kind == .string else {
      try report(
        .parameterFieldWrongType, at: node.offset,
        "'ParameterID' must be a string, not \(node.kind.phrase)")
      return nil
    }
    return node
  }

  /// Reads a number that must be there.
  mutating func requiredNumber(
    _ node: JSONView?, _ name: String, of owner: String, at offset: Int
  ) throws(AHAPError) -> Double? {
    guard let node else {
      try report(.parameterFieldMissing, at: offset, "\(owner) has no '\(name)'")
      return nil
    }
    guard let number = node.number else {
      try report(
        .parameterFieldWrongType, at: node.offset,
        "'\(name)' must be a number, not \(node.kind.phrase)")
      return nil
    }
    return number
  }

  /// Reads a time that is 0 where it is not given.
  mutating func optionalTime(_ node: JSONView?, of owner: String) throws(AHAPError) -> Double {
    guard let node else { return 0 }
    guard let time = node.number else {
      try report(
        .valueWrongType, at: node.offset,
        "'Time' must be a number, not \(node.kind.phrase); 0 is used", used: "0")
      return 0
    }
    return try nonNegative(time, of: owner, at: node)
  }

  mutating func nonNegative(
    _ time: Double, of owner: String, at node: JSONView
  ) throws(AHAPError) -> Double {
    guard time < 0 else { return time }
    try report(
      .timeNegative, at: node.offset, "the time of \(owner) is \(time.plain) s; 0 is used",
      used: "0")
    return 0
  }

  /// Moves a value into its range.
  @inline(__always)
  mutating func limited(
    _ value: Double, to range: ClosedRange<Double>, _ name: String, at node: JSONView
  ) throws(AHAPError) -> Double {
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
