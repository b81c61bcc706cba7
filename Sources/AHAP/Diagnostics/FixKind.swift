/// What a fix may change; the raw values are the words that a user names.
public enum FixKind: String, Sendable, CaseIterable {
  /// Nothing that is felt: the text says what is used anyway.
  case safe
  /// Control points that look absolute are counted from their curve.
  case rebase
  /// IDs, keys and event types in the wrong case are written as they are known.
  case letterCase = "case"
  /// Misspelled IDs, keys and event types with one likely meaning are written as they are known.
  case names
  /// Values and durations beyond their limits are written as they are used.
  case clamp

  /// Whether what is felt must be the same after a fix of the kind.
  public var keepsWhatIsFelt: Bool { self == .safe || self == .clamp }
}
