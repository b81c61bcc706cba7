import JSONText

/// A value of a record on its way in, with the path that error messages name.
struct RecordField {
  let node: JSONNode
  let path: String

  /// The member of an object, which must be there.
  subscript(key: String) -> RecordField {
    get throws(RunRecordError) {
      guard let field = try member(key) else {
        throw error("\(path(of: key)) is missing: every record of this schema has it")
      }
      return field
    }
  }

  /// The member of an object, or `nil` where it is absent.
  func member(_ key: String) throws(RunRecordError) -> RecordField? {
    try expect(.object, "an object")
    return node[key].map { RecordField(node: $0, path: path(of: key)) }
  }

  /// The members of an object under their keys.
  func members() throws(RunRecordError) -> [(key: String, field: RecordField)] {
    try expect(.object, "an object")
    return node.members.map { key, value in
      let key = key.string ?? ""
      return (key, RecordField(node: value, path: path(of: key)))
    }
  }

  func elements() throws(RunRecordError) -> [RecordField] {
    try expect(.array, "an array")
    return node.elements.enumerated().map { index, element in
      RecordField(node: element, path: "\(path)[\(index)]")
    }
  }

  func string() throws(RunRecordError) -> String {
    guard let string = node.string else { throw mismatch("a string") }
    return string
  }

  func strings() throws(RunRecordError) -> [String] {
    var strings: [String] = []
    for element in try elements() { strings.append(try element.string()) }
    return strings
  }

  func number() throws(RunRecordError) -> Double {
    guard let number = node.number else { throw mismatch("a number") }
    return number
  }

  func integer() throws(RunRecordError) -> Int {
    guard let integer = node.integer else { throw mismatch("a whole number") }
    return integer
  }

  func bool() throws(RunRecordError) -> Bool {
    guard let bool = node.bool else { throw mismatch("true or false") }
    return bool
  }

  /// A seed: a whole number, or its digits in a string where it is beyond 2^53.
  func seed() throws(RunRecordError) -> UInt64 {
    if let integer = node.integer, let seed = UInt64(exactly: integer) { return seed }
    guard let text = node.string, let seed = UInt64(text) else {
      throw mismatch("a whole number from 0 to 2^64 - 1, as digits in a string beyond 2^53")
    }
    return seed
  }

  /// A word out of a list.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _: Word.Type
  ) throws(RunRecordError) -> Word {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      let choices = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw error("\(path) is '\(text)', but must be one of: \(choices)")
    }
    return word
  }

  func error(_ message: String) -> RunRecordError {
    RunRecordError(position: node.position, path: path, message: message)
  }

  private func expect(_ kind: JSONNode.Kind, _ name: String) throws(RunRecordError) {
    guard node.kind == kind else { throw mismatch(name) }
  }

  private func mismatch(_ wanted: String) -> RunRecordError {
    let name = path.isEmpty ? "a record" : path
    return error("\(name) must be \(wanted), but here is \(node.kind.phrase)")
  }

  private func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
