import Acceptance

/// Colours of a terminal, and text that cannot steer it.
struct TerminalStyle {
  let isColored: Bool

  /// The word of a verdict in its colour.
  func verdict(_ verdict: Verdict) -> String { colored(verdict.rawValue, verdict) }

  /// A text in the colour of a verdict; of none, plain.
  func colored(_ text: String, _ verdict: Verdict?) -> String {
    guard isColored, let verdict else { return text }
    let code =
      switch verdict {
      case .pass: "32"
      case .marginal: "33"
      case .notMeasured: "35"
      case .fail: "31"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  /// A text on one line without control characters, cut with an ellipsis where it is wider.
  static func plain(_ text: String, width: Int = .max) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      scalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    let plain = String(scalars)
    return plain.count > width ? plain.prefix(width - 1) + "…" : plain
  }
}
