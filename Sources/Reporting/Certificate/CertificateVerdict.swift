public import Acceptance

extension Certificate {
  /// What the goals come to together: a fail if one is missed, a pass only if all are met.
  ///
  /// Marginal where some were not measured, or are missed for a limit that is not the calibration's and has
  /// a name; `notMeasured` where none was measured.
  public var verdict: Verdict {
    if goals.contains(where: { $0.verdict == .fail }) { return .fail }
    guard goals.contains(where: { $0.verdict == .pass }) else { return .notMeasured }
    return goals.allSatisfy { $0.verdict == .pass } ? .pass : .marginal
  }

  /// The verdict in a word or two.
  var verdictWord: String {
    switch verdict {
    case .pass: "meets every goal"
    case .marginal where goals.contains { $0.verdict == .marginal }: "meets what its limits allow"
    case .marginal: "meets what was measured"
    case .notMeasured: Shown.word(of: .notMeasured)
    case .fail: "misses \(Count.of(goals.count { $0.verdict == .fail }, "goal"))"
    }
  }

  /// The verdict as a sentence with the numbers of what is missed.
  var sentence: String {
    let met = goals.count { $0.verdict == .pass }
    let missed = goals.filter { $0.verdict == .fail }
    let limited = goals.filter { $0.verdict == .marginal }
    let unmeasured = goals.filter { $0.verdict == .notMeasured }
    var parts = ["Meets \(met) of \(goals.count) goals"]
    if !missed.isEmpty {
      let words = missed.map { "\($0.name.lowercasedFirst) \($0.shownValue) (\($0.shownLimit))" }
      parts.append("misses \(missed.count): " + words.joined(separator: ", "))
    }
    if !limited.isEmpty {
      let words = limited.map {
        "\($0.name.lowercasedFirst) \($0.shownValue) (\($0.shownLimit)) by \($0.limitedBy ?? "")"
      }
      parts.append("\(limited.count) limited: " + words.joined(separator: ", "))
    }
    if !unmeasured.isEmpty {
      let names = unmeasured.map(\.name.lowercasedFirst).joined(separator: ", ")
      parts.append(
        "\(unmeasured.count) \(unmeasured.count == 1 ? "was" : "were") not measured"
          + (unmeasured.count > 4 ? "" : ": \(names)"))
    }
    return parts.joined(separator: "; ") + "."
  }
}

extension String {
  /// The text as it stands inside a sentence.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
