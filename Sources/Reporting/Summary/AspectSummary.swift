import Acceptance
import Units

/// How an aspect of a run came out, with what made it so in words.
struct AspectSummary {
  /// How many causes and, of one cause, how many patterns are named.
  private static let named = 3

  let verdict: AspectVerdict
  /// What has the heaviest verdict, the readings of one name as one cause.
  let causes: [String]

  init(_ verdict: AspectVerdict, _ scatter: ReadingScatter) {
    self.verdict = verdict
    var names: [String] = []
    var groups: [String: [AspectVerdict.Cause]] = [:]
    for cause in verdict.causes {
      let name = Self.name(of: cause)
      if groups[name] == nil { names.append(name) }
      groups[name, default: []].append(cause)
    }
    causes = names.map { Self.text($0, groups[$0] ?? [], scatter) }
  }

  /// `Rig`, `Timing` or `Feel`.
  var title: String { verdict.aspect.title }

  /// Why it came out so, in at most three causes.
  var reason: String {
    if let absence = verdict.absence {
      return switch absence {
      case .noProfile: "no profile says how strong and how sharp the drive has to feel"
      case .notAsked: "the plan has no limits of it"
      case .nothingToJudge: "the run has no reading that the plan's limits of it judge"
      }
    }
    guard !causes.isEmpty else { return "nothing is outside its limits" }
    let more = causes.count - Self.named
    return (causes.prefix(Self.named) + (more > 0 ? ["and \(more) more"] : []))
      .joined(separator: "; ")
  }

  /// What causes have to share to be told as one.
  private static func name(of cause: AspectVerdict.Cause) -> String {
    switch cause {
    case .reading(let reading): reading.name.description
    case .missing(let missing): missing.name.description
    case .setup(let finding): "setup check \(finding.check.rawValue): \(finding.sentence)"
    case .ending(.interrupted): "the run was interrupted"
    case .ending: "a device fault ended the run"
    case .unscored: "fewer than half of the driven events scored"
    }
  }

  private static func text(
    _ name: String, _ causes: [AspectVerdict.Cause], _ scatter: ReadingScatter
  ) -> String {
    if causes.count == 1, case .reading(let reading) = causes[0] {
      let value = Shown.value(of: reading, scatter).map { ": \($0)" } ?? ""
      return RunSummary.subject(of: reading) + value
    }
    var patterns: [String] = []
    for pattern in causes.compactMap(pattern) where !patterns.contains(pattern) {
      patterns.append(pattern)
    }
    var text = name
    if !patterns.isEmpty {
      let isShare = if case .unscored? = causes.first { true } else { false }
      let more = patterns.count - named
      text +=
        (isShare ? " in " : " of ")
        + patterns.prefix(named).joined(separator: ", ")
        + (more > 0 ? " and \(Count.of(more, "more pattern"))" : "")
    }
    if case .missing? = causes.first { text += " not measured" }
    return text
  }

  private static func pattern(of cause: AspectVerdict.Cause) -> String? {
    switch cause {
    case .reading(let reading): reading.pattern
    case .missing(let missing): missing.pattern
    case .unscored(let pattern, let share):
      "\(pattern) (\(EngineeringFormat.fixed(100 * share, 0)) %)"
    case .setup, .ending: nil
    }
  }
}
