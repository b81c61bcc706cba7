// SPDX-License-Identifier: Apache-2.0

/// A text that is not JSON: what is wrong, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with a text; the raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    case emptyInput
    /// The text is longer than 4 GiB.
    case inputTooLarge
    case nestingTooDeep
    case invalidUTF8
    case unexpectedCharacter
    case unexpectedEnd
    case unterminatedString
    case badEscape
    /// Half of a UTF-16 surrogate pair.
    case loneSurrogate
    /// A character below U+0020 that stands in a string unescaped.
    case controlCharacter
    case badNumber
    /// A number beyond the range of a 64-bit floating point number.
    case numberOutOfRange
    /// `NaN` or `Infinity`, which JSON does not have.
    case notANumberWord
    case comment
    case trailingComma
    case textAfterEnd
  }

  /// What is wrong.
  public var code: Code
  /// The place of the fault.
  public var position: JSONPosition
  /// One sentence without the place.
  public var message: String

  /// The message behind its line and column.
  public var description: String { "\(position): \(message)" }
}

/// A fault at a byte offset, before its line and column are known.
struct JSONFault: Error {
  var code: JSONError.Code
  var offset: Int
  var message: String

  init(_ code: JSONError.Code, at offset: Int, _ message: String) {
    self.code = code
    self.offset = offset
    self.message = message
  }

  static func emptyInput(at offset: Int) -> Self {
    Self(.emptyInput, at: offset, "the text is empty; a JSON value was expected")
  }

  func located(in bytes: [UInt8]) -> JSONError {
    JSONError(code: code, position: JSONPosition(offset: offset, in: bytes), message: message)
  }
}
