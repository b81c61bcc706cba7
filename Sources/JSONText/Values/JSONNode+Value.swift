extension JSONNode {
  /// The value with all that it holds, copied out of the document.
  ///
  /// Numbers without fraction and exponent become `integer` where they fit. Duplicate keys are kept.
  public var value: JSONValue { withUnsafeView(\.value) }
}

extension JSONView {
  /// The value with all that it holds, copied out of the document.
  ///
  /// Numbers without fraction and exponent become `integer` where they fit. Duplicate keys are kept.
  public var value: JSONValue {
    switch kind {
    case .null: .null
    case .bool: .bool(bool ?? false)
    case .number: integer.map(JSONValue.integer) ?? .number(number ?? 0)
    case .string: .string(string ?? "")
    case .array: .array(elements.map(\.value))
    case .object:
      .object(members.map { JSONMember($0.key.string ?? "", $0.value.value) })
    }
  }
}

extension JSONValue {
  /// Parses UTF-8 text into a value.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - options: What to allow beyond RFC 8259, and how deep.
  /// - Throws: A ``JSONError`` at the first fault.
  public init(parsing bytes: [UInt8], options: JSONOptions = .strict) throws(JSONError) {
    self = try JSONDocument(bytes, options: options).root.value
  }
}
