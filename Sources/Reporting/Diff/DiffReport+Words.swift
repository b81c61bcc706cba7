// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

extension DiffReport {
  /// Both letters of a pair: `A and B`.
  func names(of pair: Pair) -> String { "\(sides[0].label) and \(sides[pair.side].label)" }

  /// What came of a pair, in a sentence.
  func sentence(of pair: Pair) -> String {
    let all = pair.differences
    let beyond = all.count { $0.finding == .beyond }
    let readings = Count.of(all.count, "reading")
    guard beyond > 0 else {
      let untold = all.count { $0.finding == .untold }
      return "\(names(of: pair)): of \(readings) none differs by more than chance"
        + (untold > 0 ? ", \(untold) cannot be told" : "")
    }
    let courses = Course.allCases.compactMap { course -> String? in
      let count = all.count { $0.course == course }
      return count > 0 ? "\(count) \(course.words)" : nil
    }
    return "\(names(of: pair)): \(beyond) of \(readings) "
      + "\(beyond == 1 ? "differs" : "differ") by more than chance, "
      + courses.joined(separator: ", ")
  }

  /// What came of all pairs.
  var sentence: String { pairs.map { sentence(of: $0) + "." }.joined(separator: " ") }

  var verdict: Verdict {
    let beyond = all.contains { $0.finding == .beyond }
    return isWorse ? .fail : beyond ? .marginal : .pass
  }

  var word: String {
    switch verdict {
    case .fail: all.contains { $0.course == .worse && $0.isForTheWorse } ? "worse" : "changed"
    case .marginal: "different"
    default: "no difference"
    }
  }

  /// What lies outside of the uncertainties, and how many readings were asked.
  var method: String {
    let asked = all.count { $0.difference != nil }
    return
      "More than chance: told at a false discovery rate of \(EngineeringFormat.significant(Self.rate)) "
      + "(Benjamini and Hochberg) over \(Count.of(asked, "reading")); differences by Welch's test. ± is one "
      + "standard uncertainty."
  }
}

extension DiffReport.Course {
  var words: String {
    switch self {
    case .worse: "for the worse"
    case .better: "for the better"
    case .changed: "changed"
    }
  }

  var verdict: Verdict {
    switch self {
    case .worse: .fail
    case .changed: .marginal
    case .better: .pass
    }
  }
}

extension DiffReport.Side {
  /// What a person knows it by.
  var title: String {
    let last = runs.last?.id ?? ""
    if isBaseline {
      return runs.count == 1
        ? "baseline, \(last)"
        : "baseline: \(runs.count) runs of \(Count.of(nights, "night")), the last \(last)"
    }
    let part = [pattern, take.map { "take \($0)" }].compactMap(\.self).joined(separator: ", ")
    return last + (part.isEmpty ? "" : " (\(part))")
  }

  /// On how many UTC days its runs began.
  private var nights: Int { Set(runs.map { $0.record.began.prefix(10) }).count }

  /// What it was made with.
  var account: String {
    guard let record = runs.last?.record else { return "" }
    let takes = runs.reduce(0) { $0 + $1.record.takes }
    return [
      record.rig, record.actuator, record.plan,
      record.isImported ? "imported" : Count.of(takes, "take"),
      record.status == .complete ? nil : record.status.rawValue,
    ].compactMap(\.self).joined(separator: ", ")
  }
}

extension DiffReport.Key {
  /// The reading without its pattern: `felt start, event 3`.
  var short: String { name.title + (part.isEmpty ? "" : ", \(part)") }

  /// What of the pattern it is of: `event 3`; nothing of the whole.
  var part: String {
    [event.map { "event \($0)" }, channel].compactMap(\.self).joined(separator: ", ")
  }

  var long: String { short + (pattern.isEmpty ? "" : " of \(pattern)") }

  /// The heading that it stands under.
  var place: String { pattern.isEmpty ? "the run" : pattern }
}

extension DiffReport.Difference {
  func shown(_ side: RepeatedValue) -> String {
    Shown.bound(of: key.name.kind) + Shown.size(side.mean, unit)
  }

  /// The difference with its sign and uncertainty; its size alone where nothing tells how it scatters.
  var shownDifference: String {
    let value = difference?.value ?? second.mean - first.mean
    let text = Shown.size(value, unit, uncertainty: difference?.uncertainty)
    return value > 0 ? "+" + text : text
  }

  /// The chance, with one digit where it is small.
  var shownChance: String {
    guard let chance = difference?.chance else { return "-" }
    return chance < 1e-4 ? "< 0.0001" : EngineeringFormat.rough(chance)
  }

  var shownCount: String {
    first.count == second.count ? "\(first.count)" : "\(first.count), \(second.count)"
  }

  /// What came of it, in a word.
  var word: String { course?.rawValue ?? finding.rawValue }
}

extension DiffReport.Overlay {
  /// What each take was laid by, in a sentence.
  func alignment(_ sides: [DiffReport.Side]) -> String {
    let parts = takes.map { take in
      let words = [
        take.electrical.map { "electrical delay \(Shown.typeset(Shown.seconds($0)))" }
          ?? "electrical delay not known",
        "drift \(EngineeringFormat.fixed(take.drift, 1)) ppm",
        take.transport.map { "transport \(Shown.typeset(Shown.seconds($0)))" },
      ].compactMap(\.self)
      return "\(sides[take.side].label) (take \(take.number)): \(words.joined(separator: ", "))"
    }
    return "Laid over each other by what was measured of each. " + parts.joined(separator: "; ")
      + (isWithoutTransport
        ? ". Each transport is taken off."
        : ". The transports are not taken off: not all are known.")
  }
}

extension DiffReport.Overlay.Residual {
  static func decibels(_ value: Double?) -> String {
    guard let value else { return "not known" }
    return value == -.infinity ? "none" : Shown.decibels(value, decimals: 1)
  }
}
