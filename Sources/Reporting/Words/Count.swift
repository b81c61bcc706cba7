/// Counts and sizes as sentences have them.
public enum Count {
  /// `1 run`, `2 runs`; `several` where the word takes more than an s.
  public static func of(_ count: Int, _ word: String, _ several: String? = nil) -> String {
    count == 1 ? "1 \(word)" : "\(count) \(several ?? word + "s")"
  }

  /// A size with at least two digits: `830 bytes`, `83 kB`, `1.5 GB`.
  public static func bytes(_ count: Int) -> String {
    var value = Double(count)
    guard value >= 1000 else { return of(count, "byte") }
    for unit in ["kB", "MB", "GB"] {
      value /= 1000
      if value < 999.5 || unit == "GB" {
        let shown = value < 9.95 ? (value * 10).rounded() / 10 : value.rounded()
        return value < 9.95 ? "\(shown) \(unit)" : "\(Int(shown)) \(unit)"
      }
    }
    return "\(count) bytes"
  }
}
