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

  func located(in bytes: Span<UInt8>) -> JSONError {
    var finder = JSONPositionFinder()
    return JSONError(
      code: code, position: finder.position(of: offset, in: bytes), message: message)
  }
}
