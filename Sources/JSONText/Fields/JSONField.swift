// SPDX-License-Identifier: Apache-2.0

/// A value of a document of some schema on its way in, with the path that error messages name.
package struct JSONField: Sendable {
  /// What a document of a schema is called, and how long its lists may be.
  package struct Schema: Sendable {
    /// The word for the whole document: `record`, `profile`.
    package let name: String
    /// The most elements of a list; `nil` for any number.
    package let longestList: Int?
    /// Whether keys that nobody knows are refused, and those that are there twice.
    package let isClosed: Bool

    package init(name: String, longestList: Int? = nil, isClosed: Bool = false) {
      self.name = name
      self.longestList = longestList
      self.isClosed = isClosed
    }
  }

  package let node: JSONNode
  /// The way to it from the document's root, empty for the root.
  package let path: String
  private let schema: Schema

  /// The member of an object, which must be there.
  package subscript(key: String) -> JSONField {
    get throws(JSONFieldError) {
      guard let field = try member(key) else {
        throw error("\(path(of: key)) is missing: every \(schema.name) of this schema has it")
      }
      return field
    }
  }

  /// The member of an object, or `nil` where it is absent.
  package func member(_ key: String) throws(JSONFieldError) -> JSONField? {
    try expect(.object, "an object")
    return node[key].map { JSONField(node: $0, path: path(of: key), schema: schema) }
  }

  package func members() throws(JSONFieldError) -> [(key: String, field: JSONField)] {
    try expect(.object, "an object")
    return node.members.map { key, value in
      let key = key.string ?? ""
      return (key, JSONField(node: value, path: path(of: key), schema: schema))
    }
  }

  package func elements() throws(JSONFieldError) -> [JSONField] {
    try expect(.array, "an array")
    if let longest = schema.longestList, node.count > longest {
      throw error(
        "\(name) has \(node.count) elements, but a \(schema.name)'s lists have at most \(longest)")
    }
    return node.elements.enumerated().map { index, element in
      JSONField(node: element, path: "\(path)[\(index)]", schema: schema)
    }
  }

  /// What the elements of a list say.
  package func list<Value>(
    _ read: (JSONField) throws(JSONFieldError) -> Value
  ) throws(JSONFieldError) -> [Value] {
    try elements().map { element throws(JSONFieldError) in try read(element) }
  }

  /// Makes sure that a value is an object, and in a closed schema one of known keys, each there once.
  package func checkKeys(_ keys: [String]) throws(JSONFieldError) {
    try expect(.object, "an object")
    guard schema.isClosed else { return }
    var seen: Set<String> = []
    for ((name, field), (key, _)) in zip(try members(), node.members) {
      guard keys.contains(name) else {
        throw JSONFieldError(
          position: key.position, path: field.path,
          message: "'\(Self.shortened(name))' is no key of "
            + "\(self.name): known are \(keys.joined(separator: ", "))")
      }
      try field.check(seen.insert(name).inserted, "is there twice: remove one of the two")
    }
  }

  package func string() throws(JSONFieldError) -> String { try given(node.string, "a string") }

  package func number() throws(JSONFieldError) -> Double { try given(node.number, "a number") }

  /// A number without a fraction.
  package func integer() throws(JSONFieldError) -> Int { try given(node.integer, "a whole number") }

  package func bool() throws(JSONFieldError) -> Bool { try given(node.bool, "true or false") }

  private func given<Value>(_ value: Value?, _ wanted: String) throws(JSONFieldError) -> Value {
    guard let value else { throw mismatch(wanted) }
    return value
  }

  package func word<Word: RawRepresentable<String> & CaseIterable>(
    _: Word.Type
  ) throws(JSONFieldError) -> Word {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      let choices = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw error("\(name) is '\(Self.shortened(text))', but must be one of: \(choices)")
    }
    return word
  }

  package func error(_ message: String) -> JSONFieldError {
    JSONFieldError(position: node.position, path: path, message: message)
  }

  /// Fails where something does not hold; the sentence goes on from the value's path.
  package func check(
    _ holds: Bool, _ sentence: @autoclosure () throws(JSONFieldError) -> String
  ) throws(JSONFieldError) {
    if !holds { throw error("\(path) \(try sentence())") }
  }

  package func mismatch(_ wanted: String) -> JSONFieldError {
    error("\(name) must be \(wanted), but here is \(node.kind.phrase)")
  }

  /// What a sentence calls the value: its path, or the document.
  package var name: String { path.isEmpty ? "a \(schema.name)" : path }

  package static func shortened(_ text: String) -> String {
    text.count > 60 ? text.prefix(60) + "..." : text
  }

  private func expect(_ kind: JSONNode.Kind, _ wanted: String) throws(JSONFieldError) {
    guard node.kind == kind else { throw mismatch(wanted) }
  }

  private func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

extension JSONField {
  package init(root: JSONNode, of schema: Schema) {
    self.init(node: root, path: "", schema: schema)
  }
}

/// A text that is not of the schema that it is read by: what is wrong, and where.
public struct JSONFieldError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the text.
  public var position: JSONPosition
  /// The value's path, for example `readings[3].unit`; empty where the text is not JSON.
  public var path: String
  /// One sentence without the place.
  public var message: String

  package init(position: JSONPosition, path: String, message: String) {
    self.position = position
    self.path = path
    self.message = message
  }

  /// The message behind its line and column.
  public var description: String { "\(position): \(message)" }
}
