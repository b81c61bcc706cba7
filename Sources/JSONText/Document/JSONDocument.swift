/// A JSON text parsed into a flat table of its values.
///
/// Parsing allocates nothing per value and never recurses; strings are decoded when asked for.
/// Time and memory are linear in the text: 16 bytes a value beside the text, which is shared with
/// the caller's array and not copied.
public struct JSONDocument: Sendable {
  /// The outermost value.
  public let root: JSONNode
  /// The byte offsets of the commas before a closing bracket, in rising order.
  public let trailingCommaOffsets: [Int]
  /// The byte offsets of the keys that their object has had before, in rising order.
  public let duplicateKeyOffsets: [Int]
  /// Whether the text starts with a UTF-8 byte order mark, which is skipped.
  public let hasByteOrderMark: Bool

  /// Parses UTF-8 text.
  ///
  /// - Parameters:
  ///   - bytes: The text; a UTF-8 byte order mark at its start is skipped.
  ///   - options: What to allow beyond RFC 8259, and how deep.
  /// - Throws: A ``JSONError`` at the first fault.
  public init(_ bytes: [UInt8], options: JSONOptions = .strict) throws(JSONError) {
    try Self.checkSize(bytes.count)
    let outcome = bytes.withUnsafeBytes { text -> Result<JSONParser.Outcome, JSONFault> in
      guard let base = text.baseAddress else { return .failure(.emptyInput(at: 0)) }
      var parser = JSONParser(base: base, count: text.count, options: options)
      return Result { () throws(JSONFault) in try parser.parse() }
    }
    switch outcome {
    case .success(let outcome):
      hasByteOrderMark = outcome.hasByteOrderMark
      trailingCommaOffsets = outcome.trailingCommas
      duplicateKeyOffsets = outcome.duplicateKeys.sorted()
      root = JSONNode(storage: JSONStorage(bytes: bytes, records: outcome.records), index: 0)
    case .failure(let fault):
      throw fault.located(in: bytes)
    }
  }

  /// Parses UTF-8 text, which is copied.
  ///
  /// - Parameters:
  ///   - bytes: The text; a UTF-8 byte order mark at its start is skipped.
  ///   - options: What to allow beyond RFC 8259, and how deep.
  /// - Throws: A ``JSONError`` at the first fault.
  public init(_ bytes: Span<UInt8>, options: JSONOptions = .strict) throws(JSONError) {
    try Self.checkSize(bytes.count)
    try self.init(bytes.withUnsafeBufferPointer { Array($0) }, options: options)
  }

  private static func checkSize(_ count: Int) throws(JSONError) {
    guard count < Int(UInt32.max) else {
      throw JSONError(
        code: .inputTooLarge, position: JSONPosition(offset: 0, line: 1, column: 1),
        message: "the text has \(count) bytes; at most 4 GiB can be read")
    }
  }
}

extension JSONDocument {
  /// Lends the outermost value, and all that it holds, for the time of a call.
  ///
  /// The way to walk a large document fast: a view costs nothing to copy.
  ///
  /// - Parameter body: What to do with the value, which must not outlive the call.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func withUnsafeView<R, E>(_ body: (JSONView) throws(E) -> R) throws(E) -> R {
    try root.storage.withUnsafeView(of: root.index, body)
  }
}
