/// How many entries a file holds as written, those included that the reader leaves out.
public struct EntryCounts: Sendable, Hashable {
  /// Entries that hold an `Event`.
  public var events = 0
  /// Entries that hold a `Parameter`.
  public var parameters = 0
  /// Entries that hold a `ParameterCurve`.
  public var curves = 0
  /// Control points of all curves.
  public var controlPoints = 0

  /// Makes counts of nothing.
  public init() {}
}

/// What was read from a file: the pattern, and what there is to say about the file.
public struct AHAPDocument: Sendable, Hashable {
  /// The pattern; in strict mode without the entries that have errors.
  public var pattern: HapticPattern
  /// What was found, in the order of the text.
  public var diagnostics: [Diagnostic]
  /// How many diagnostics were left out because there were too many of their code.
  public var omittedDiagnostics: Int
  /// What the file holds as written.
  public var entries = EntryCounts()

  /// The highest severity among the diagnostics; nil if there are none.
  public var worstSeverity: Severity? { diagnostics.map(\.severity).max() }
}
