/// A JSON text parsed into a flat table of its values.
///
/// Parsing allocates nothing per value and never recurses; strings are decoded when asked for.
/// Time and memory are linear in the text: 16 bytes a value beside a copy of the text.
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
    try self.init(bytes.span, options: options)
  }

  /// Parses UTF-8 text, which is copied.
  ///
  /// - Parameters:
  ///   - bytes: The text; a UTF-8 byte order mark at its start is skipped.
  ///   - options: What to allow beyond RFC 8259, and how deep.
  /// - Throws: A ``JSONError`` at the first fault.
  public init(_ bytes: Span<UInt8>, options: JSONOptions = .strict) throws(JSONError) {
    guard bytes.count < Int(UInt32.max) - JSONStorage.padding else {
      throw JSONError(
        code: .inputTooLarge, position: JSONPosition(offset: 0, line: 1, column: 1),
        message: "the text has \(bytes.count) bytes; at most 4 GiB can be read")
    }
    let text = bytes.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: source.count + JSONStorage.padding) { buffer, count in
        let next = buffer.suffix(from: buffer.initialize(fromContentsOf: source))
        next.initialize(repeating: 0)
        count = buffer.count
      }
    }
    hasByteOrderMark = bytes.withUnsafeBytes(JSONText.hasByteOrderMark)
    let start = hasByteOrderMark ? byteOrderMarkLength : 0
    let outcome = text.withUnsafeBytes { buffer -> Result<JSONParser.Outcome, JSONFault> in
      guard let base = buffer.baseAddress else {
        return .failure(JSONFault(.emptyInput, at: 0, "the text is empty"))
      }
      var parser = JSONParser(base: base, start: start, end: bytes.count, options: options)
      do throws(JSONFault) {
        return .success(try parser.parse())
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let outcome):
      trailingCommaOffsets = outcome.trailingCommas
      duplicateKeyOffsets = outcome.duplicateKeys.sorted()
      root = JSONNode(storage: JSONStorage(bytes: text, records: outcome.records), index: 0)
    case .failure(let fault):
      throw fault.located(in: bytes)
    }
  }
}
