/// A text that is not JSON: what is wrong, and where.
public struct JSONError: Error, Sendable, Hashable {
  /// What is wrong with a text.
  ///
  /// The raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The text holds nothing but white space.
    case emptyInput
    /// The text is longer than 4 GiB.
    case inputTooLarge
    /// Arrays and objects lie deeper inside each other than the limit.
    case nestingTooDeep
    /// The bytes are not UTF-8.
    case invalidUTF8
    /// A character that cannot stand where it does.
    case unexpectedCharacter
    /// The text ends inside an array, an object or a literal.
    case unexpectedEnd
    /// A string without its closing quote.
    case unterminatedString
    /// A backslash that no known escape follows.
    case badEscape
    /// Half of a UTF-16 surrogate pair.
    case loneSurrogate
    /// A character below U+0020 that stands in a string unescaped.
    case controlCharacter
    /// A number that is not written as JSON asks.
    case badNumber
    /// A number beyond the range of a 64-bit floating point number.
    case numberOutOfRange
    /// `NaN` or `Infinity`, which JSON does not have.
    case notANumberWord
    /// A comment, which JSON does not have.
    case comment
    /// A comma before a closing bracket, where the options forbid it.
    case trailingComma
    /// More text after the value.
    case textAfterEnd
  }

  /// What is wrong.
  public var code: Code
  /// The place of the fault.
  public var position: JSONPosition
  /// One sentence without the place.
  public var message: String

  /// Creates an error from its parts.
  public init(code: Code, position: JSONPosition, message: String) {
    self.code = code
    self.position = position
    self.message = message
  }
}

extension JSONError: CustomStringConvertible {
  /// The message behind its line and column.
  public var description: String { "\(position): \(message)" }
}
