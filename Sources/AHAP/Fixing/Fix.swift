public import JSONText

/// A way to mend one finding by small edits; all else of the text stays byte for byte.
public struct Fix: Sendable, Hashable {
  /// What the fix may change.
  public var kind: FixKind
  /// The finding that the fix mends.
  public var code: DiagnosticCode
  /// Where that finding is reported.
  public var position: JSONPosition
  /// What is done, as one clause.
  public var summary: String
  /// The edits, none of which overlaps another of this fix.
  public var edits: [TextEdit]

  /// Creates a fix.
  public init(
    kind: FixKind, code: DiagnosticCode, position: JSONPosition, summary: String, edits: [TextEdit]
  ) {
    self.kind = kind
    self.code = code
    self.position = position
    self.summary = summary
    self.edits = edits
  }
}

/// A file's text after its fixes.
public struct FixedText: Sendable, Hashable {
  /// The text.
  public var bytes: [UInt8]
  /// The fixes that were applied, each at its place in the text as it was.
  ///
  /// Some fixes show only when others are applied: the edits of such a fix count in the text
  /// between, and its place is the nearest one in the text as it was.
  public var applied: [Fix]
}
