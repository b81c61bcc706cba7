// SPDX-License-Identifier: Apache-2.0

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

  /// Parses UTF-8 text; a byte order mark at its start is skipped.
  ///
  /// Throws a ``JSONError`` at the first fault.
  public init(_ bytes: [UInt8], options: JSONOptions = .strict) throws(JSONError) {
    guard bytes.count < Int(UInt32.max) else {
      throw JSONError(
        code: .inputTooLarge, position: JSONPosition(offset: 0, line: 1, column: 1),
        message: "the text has \(bytes.count) bytes; at most 4 GiB can be read")
    }
    do throws(JSONFault) {
      let outcome = try bytes.withUnsafeBufferPointer { text throws(JSONFault) in
        guard let base = text.baseAddress else { throw .emptyInput(at: 0) }
        var parser = JSONParser(base: base, count: text.count, options: options)
        return try parser.parse()
      }
      hasByteOrderMark = outcome.hasByteOrderMark
      trailingCommaOffsets = outcome.trailingCommas
      duplicateKeyOffsets = outcome.duplicateKeys.sorted()
      root = JSONNode(storage: JSONStorage(bytes: bytes, records: outcome.records), index: 0)
    } catch {
      throw error.located(in: bytes)
    }
  }

  /// Lends the outermost value, and all that it holds, for the time of a call.
  ///
  /// The way to walk a large document fast: a view costs nothing to copy, and must not outlive the
  /// call.
  public func withUnsafeView<R, E>(_ body: (JSONView) throws(E) -> R) throws(E) -> R {
    try root.storage.withUnsafeView(of: root.index, body)
  }
}
