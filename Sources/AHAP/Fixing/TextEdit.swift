/// The replacement of a run of bytes of a text.
public struct TextEdit: Sendable, Hashable {
  /// The bytes to replace; empty for an insertion.
  public var range: Range<Int>
  /// What stands there instead; empty for a removal.
  public var replacement: String

  /// Creates an edit.
  public init(range: Range<Int>, replacement: String) {
    self.range = range
    self.replacement = replacement
  }
}
