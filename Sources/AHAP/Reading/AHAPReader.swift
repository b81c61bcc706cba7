import JSONText

/// Reads AHAP files.
public enum AHAPReader {
  /// Reads a file's bytes into a pattern.
  ///
  /// In Apple mode the first fault that Core Haptics refuses is thrown. In strict mode faults of single
  /// entries become diagnostics, their entries are left out, and only what leaves no pattern is thrown.
  /// Time and memory are linear in the file.
  ///
  /// - Parameters:
  ///   - bytes: The file, UTF-8.
  ///   - fileName: The name for messages.
  ///   - options: The mode and the limits.
  /// - Returns: The pattern and what there is to say about the file.
  /// - Throws: An ``AHAPError`` with the place of the fault.
  public static func read(
    _ bytes: [UInt8], fileName: String = "pattern.ahap", options: AHAPOptions = AHAPOptions()
  ) throws(AHAPError) -> AHAPDocument {
    var reader = PatternReader(bytes: bytes, fileName: fileName, options: options)
    guard bytes.count <= options.maximumBytes else {
      throw reader.failure(
        .inputTooLarge, at: 0,
        "the file has \(bytes.count) bytes; at most \(options.maximumBytes) are read")
    }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(
        bytes, options: JSONOptions(allowsTrailingCommas: true, nestingLimit: options.nestingLimit))
    } catch {
      throw reader.failure(.brokenJSON, at: error.position.offset, error.message)
    }
    try reader.reportLayout(of: document)
    try document.withUnsafeView { root throws(AHAPError) in try reader.readTopLevel(root) }
    return AHAPDocument(
      pattern: reader.pattern, diagnostics: reader.locatedDiagnostics(),
      omittedDiagnostics: reader.findings.omitted, entries: reader.entries)
  }
}
