public import JSONText

/// Where an entry stands in its file, kept out of comparisons.
///
/// All marks are equal, so that two patterns are equal if they play alike, whatever their layout.
public struct SourceMark: Sendable, Hashable {
  /// The place of the entry's key; nil if the entry comes from no file.
  public var position: JSONPosition?

  /// Creates a mark; without a position it stands for an entry from no file.
  public init(_ position: JSONPosition? = nil) {
    self.position = position
  }

  /// Always true.
  public static func == (first: Self, second: Self) -> Bool { true }

  /// Adds nothing, as all marks are equal.
  public func hash(into hasher: inout Hasher) {}
}
