import JSONText

extension JSONDocument {
  /// Parses a file's text as leniently as AHAP is read, within the limits of the options.
  ///
  /// - Parameters:
  ///   - bytes: The file, UTF-8.
  ///   - fileName: The name for messages.
  ///   - options: The limits on bytes and nesting.
  ///   - purpose: What is done with the bytes, for the message of a file that is too large.
  /// - Throws: An ``AHAPError`` if the file is too large or not JSON.
  init(
    ahap bytes: [UInt8], fileName: String, options: AHAPOptions, purpose: String = "read"
  ) throws(AHAPError) {
    func failure(
      _ code: DiagnosticCode, at position: JSONPosition, _ message: String
    ) -> AHAPError {
      AHAPError(
        Diagnostic(code: code, severity: .error, position: position, message: message),
        fileName: fileName, bytes: bytes)
    }
    guard bytes.count <= options.maximumBytes else {
      throw failure(
        .inputTooLarge, at: JSONPosition(offset: 0, in: bytes),
        "the file has \(bytes.count) bytes; at most \(options.maximumBytes) are \(purpose)")
    }
    do throws(JSONError) {
      try self.init(
        bytes, options: JSONOptions(allowsTrailingCommas: true, nestingLimit: options.nestingLimit))
    } catch {
      throw failure(.brokenJSON, at: error.position, error.message)
    }
  }
}
