/// How much a diagnostic matters.
public enum Severity: String, Sendable, Comparable, CustomStringConvertible {
  /// Worth knowing; what is played is what was meant.
  case note
  /// What is played may not be what was meant.
  case warning
  /// The file, or the entry in strict mode, cannot be used.
  case error

  /// The word that is printed.
  public var description: String { rawValue }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }

  /// Orders notes before warnings before errors.
  public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
}
