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
    let document = try JSONDocument(ahap: bytes, fileName: fileName, options: options)
    var reader = PatternReader(bytes: bytes, fileName: fileName, options: options)
    try reader.reportLayout(of: document)
    try document.withUnsafeView { root throws(AHAPError) in try reader.readTopLevel(root) }
    return AHAPDocument(
      pattern: reader.pattern, diagnostics: reader.locatedDiagnostics(),
      omittedDiagnostics: reader.findings.omitted, entries: reader.entries)
  }
}
