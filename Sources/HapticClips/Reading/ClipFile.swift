import JSONText

/// A file being read: takes values of the right type out of it, or says where they are wrong.
struct ClipFile {
  let bytes: [UInt8]
  let fileName: String

  func failure(
    _ code: HapticClipError.Code, at offset: Int, _ message: String
  ) -> HapticClipError {
    HapticClipError(code, at: offset, message, fileName: fileName, bytes: bytes)
  }

  /// The value of an optional key; nil where it is missing or null.
  func given(_ node: JSONNode, _ name: String) -> JSONNode? {
    guard let value = node[name], !value.isNull else { return nil }
    return value
  }

  func required(_ node: JSONNode, _ name: String) throws(HapticClipError) -> JSONNode {
    guard let value = node[name] else {
      throw failure(.valueMissing, at: node.offset, "the object has no '\(name)'")
    }
    return value
  }

  func object(_ node: JSONNode, _ name: String) throws(HapticClipError) -> JSONNode {
    let value = try required(node, name)
    guard value.kind == .object else {
      throw failure(
        .wrongType, at: value.offset, "'\(name)' must be an object, not \(value.kind.phrase)")
    }
    return value
  }

  func array(_ node: JSONNode, _ name: String) throws(HapticClipError) -> JSONNode {
    let value = try required(node, name)
    guard value.kind == .array else {
      throw failure(
        .wrongType, at: value.offset, "'\(name)' must be an array, not \(value.kind.phrase)")
    }
    return value
  }

  /// A string that is empty where it is not given.
  func string(_ node: JSONNode, _ name: String) throws(HapticClipError) -> String {
    guard let value = given(node, name) else { return "" }
    guard let text = value.string else {
      throw failure(
        .wrongType, at: value.offset, "'\(name)' must be a string, not \(value.kind.phrase)")
    }
    return text
  }

  func number(_ node: JSONNode, _ name: String) throws(HapticClipError) -> Double {
    let value = try required(node, name)
    guard let number = value.number else {
      throw failure(
        .wrongType, at: value.offset, "'\(name)' must be a number, not \(value.kind.phrase)")
    }
    return number
  }

  /// A number from 0 to 1.
  func share(_ node: JSONNode, _ name: String) throws(HapticClipError) -> Double {
    let number = try self.number(node, name)
    guard 0...1 ~= number else {
      throw failure(
        .valueOutOfRange, at: (node[name] ?? node).offset,
        "'\(name)' is \(number); it must be within 0 to 1")
    }
    return number
  }

  func checkPoint(_ node: JSONNode, of list: String) throws(HapticClipError) {
    guard node.kind == .object else {
      throw failure(
        .wrongType, at: node.offset,
        "a point of '\(list)' must be an object, not \(node.kind.phrase)"
      )
    }
  }

  func time(_ node: JSONNode, after last: Double?) throws(HapticClipError) -> Double {
    let time = try number(node, "time")
    let place = (node["time"] ?? node).offset
    guard time >= 0 else {
      throw failure(.timesOutOfOrder, at: place, "the time \(time) s is negative")
    }
    guard time >= last ?? 0 else {
      throw failure(
        .timesOutOfOrder, at: place,
        "the time \(time) s is before the \(last ?? 0) s of the point above")
    }
    return time
  }
}
