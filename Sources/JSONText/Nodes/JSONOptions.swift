/// How a JSON text is read.
public struct JSONOptions: Sendable, Hashable {
  /// The deepest nesting that any options allow.
  public static let deepestNesting = 1024

  /// Whether one comma may stand before a closing bracket.
  public var allowsTrailingCommas: Bool
  /// How many arrays and objects may lie inside each other, at most ``deepestNesting``.
  public var nestingLimit: Int {
    didSet { nestingLimit = Self.clamped(nestingLimit) }
  }

  /// Creates options; a nesting limit outside 1 to ``deepestNesting`` is moved to the nearer end.
  ///
  /// The upper bound keeps what walks over a value recursively, such as printing, within any stack.
  public init(allowsTrailingCommas: Bool = false, nestingLimit: Int = 512) {
    self.allowsTrailingCommas = allowsTrailingCommas
    self.nestingLimit = Self.clamped(nestingLimit)
  }

  /// Exactly what RFC 8259 allows.
  public static let strict = Self()
  /// RFC 8259 with trailing commas.
  public static let lenient = Self(allowsTrailingCommas: true)

  private static func clamped(_ limit: Int) -> Int { min(max(limit, 1), deepestNesting) }
}
