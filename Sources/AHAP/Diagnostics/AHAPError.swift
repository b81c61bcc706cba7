public import JSONText

/// A file that cannot be read as a pattern: the reason, and where it lies.
public struct AHAPError: Error, Sendable, Hashable {
  /// The reason and its place.
  public var diagnostic: Diagnostic
  /// The name of the file.
  public var fileName: String
  /// The whole message: place, sentence, code, source line and caret.
  public var text: String

  init(_ diagnostic: Diagnostic, fileName: String, bytes: [UInt8]) {
    self.diagnostic = diagnostic
    self.fileName = fileName
    text = diagnostic.text(fileName: fileName, bytes: bytes)
  }

  /// What is wrong.
  public var code: DiagnosticCode { diagnostic.code }

  /// Where it is wrong.
  public var position: JSONPosition { diagnostic.position }

  /// The error number of Core Haptics for the fault, such as -4814.
  public var appleError: Int? { diagnostic.code.appleError }
}

extension AHAPError: CustomStringConvertible {
  /// The whole message.
  public var description: String { text }
}
