/// What was read from a file: the pattern, and what there is to say about the file.
public struct AHAPDocument: Sendable, Hashable {
  /// The pattern; in strict mode without the entries that have errors.
  public var pattern: HapticPattern
  /// What was found, in the order of the text.
  public var diagnostics: [Diagnostic]
  /// How many diagnostics were left out because there were too many of their code.
  public var omittedDiagnostics: Int

  /// The highest severity among the diagnostics; nil if there are none.
  public var worstSeverity: Severity? { diagnostics.map(\.severity).max() }
}
