public import JSONText

/// Something that the reader found in a file, at its place.
public struct Diagnostic: Sendable, Hashable {
  /// What was found.
  public var code: DiagnosticCode
  /// How much it matters in the mode that the file was read in.
  public var severity: Severity
  /// Where it was found.
  public var position: JSONPosition
  /// One sentence with the values in it, without the place.
  public var message: String
  /// What is used instead of what is written.
  public var used: String?
  /// What to write instead.
  public var fix: String?

  /// Creates a diagnostic.
  public init(
    code: DiagnosticCode, severity: Severity, position: JSONPosition, message: String,
    used: String? = nil, fix: String? = nil
  ) {
    self.code = code
    self.severity = severity
    self.position = position
    self.message = message
    self.used = used
    self.fix = fix
  }

  /// Renders `file:line:column: severity: sentence [code]`, the source line and a caret.
  ///
  /// - Parameters:
  ///   - fileName: The name to print.
  ///   - bytes: The file's text.
  /// - Returns: One line, or three where there is a source line to show.
  public func text(fileName: String, bytes: [UInt8]) -> String {
    SourceSnippet.report(
      bytes: bytes, fileName: fileName, position: position,
      sentence: "\(severity): \(message) [\(code.rawValue)]")
  }
}
