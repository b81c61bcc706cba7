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
