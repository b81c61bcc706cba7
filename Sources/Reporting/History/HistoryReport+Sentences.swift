// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

/// What the nights say, in words.
extension HistoryReport {
  package var sentences: [String] {
    guard let days else { return ["There is no complete run of \(plan) on \(rig)."] }
    let incidents = incidents
    func those(_ standing: Alarm.Standing) -> [Incident] {
      incidents.filter { $0.standing == standing }
    }
    let outcome = outcome(of: incidents)
    var sentences = [headline(days, outcome, incidents)]
    sentences += opening("First", "incident", those(.raised))
    if let difference = those(.raised).first?.lead.differences.first {
      sentences.append("With it changed " + Self.sentence(of: difference) + ".")
    }
    sentences += opening("The rig", "such incident", those(.rigMoved))
    if let held = those(.heldBack).first {
      let more = incidents.count { $0.standing == .heldBack } - 1
      sentences.append(
        "Held back: \(subject(of: held.lead))\(held.company), since \(held.shownReason)"
          + (more > 0 ? "; and \(Count.of(more, "more incident"))." : "."))
    }
    sentences += driftWords
    if !violations.isEmpty {
      sentences.append(
        "Outside the plan's limits on the newest night: "
          + Count.list(
            Set(violations.map { Shown.phrase($0.reading.name) }).sorted(), atMost: 4) + ".")
    }
    let found = those(.unconfirmed).filter { $0.lead.point.state == .found }
    sentences += opening("Not confirmed yet", "incident", found)
    let suspected = those(.suspected)
    let weak = incidents.filter(\.lead.alarm.isWeak)
    // The headline tells the first of them, where nothing asks for more.
    let told = outcome == .unconfirmed && found.isEmpty ? 1 : 0
    sentences += (suspected.prefix(3) + weak.prefix(1)).dropFirst(told)
      .map { suspicion(of: $0) + "." }
    if suspected.count > 3 {
      sentences.append("\(Count.of(suspected.count - 3, "more incident")) suspected.")
    }
    sentences += others("weak suspicion", weak)
    return sentences + rerunWords + youth(outcome)
  }

  /// The first of some incidents, and how many more there are.
  private func opening(
    _ head: String, _ word: String, _ incidents: [Incident]
  ) -> [String] {
    guard let first = incidents.first else { return [] }
    return ["\(head): \(sentence(of: first.lead))\(first.company)."] + others(word, incidents)
  }

  /// How many incidents there are beside the first, and of what.
  private func others(_ word: String, _ incidents: [Incident]) -> [String] {
    guard incidents.count > 1 else { return [] }
    return [
      "\(Count.of(incidents.count - 1, "more \(word)")): "
        + Count.list(incidents.dropFirst().map { subject(of: $0.lead) }.uniqued(), atMost: 4) + "."
    ]
  }

  /// The first of what drifts, and how much more there is.
  private var driftWords: [String] {
    let drifts = drifts
    guard let first = drifts.first else { return [] }
    let company =
      first.others.isEmpty ? "" : ", and \(Count.of(first.others.count, "more reading")) with it"
    let rest = drifts.dropFirst().map { subject(of: $0.lead.key) }
    return ["Drift: \(sentence(of: first.lead)), \(basis(of: first.lead))\(company)."]
      + (rest.isEmpty
        ? []
        : ["\(Count.of(rest.count, "more drift")): \(Count.list(rest, atMost: 4))."])
  }

  /// What is to be known beside what changed: what re-runs took back, and which series are too young.
  var remarks: [String] { rerunWords + youth(outcome) }

  /// What re-runs of the newest night took back.
  private var rerunWords: [String] {
    let back = series.filter { $0.newest?.takenBack != nil }
    guard let day = back.compactMap({ $0.newest?.takenBack?.point.day }).min() else { return [] }
    return [
      "A re-run took back what was suspected since \(CalendarDay(number: day)): "
        + Count.list(back.map { subject(of: $0.key) }, atMost: 4) + "."
    ]
  }

  /// What is not told of series that are too young, where others are old enough.
  private func youth(_ outcome: Outcome) -> [String] {
    guard outcome != .tooFew, let fewest = waiting.min(), let most = waiting.max() else {
      return []
    }
    let nights = fewest == most ? Count.of(most, "more night") : "\(fewest) to \(most) more nights"
    return [
      "Too few nights to tell of \(waiting.count) of \(series.count) series: "
        + "\(nights) until their newest can be judged."
    ]
  }

  private func headline(
    _ days: ClosedRange<Int>, _ outcome: Outcome, _ incidents: [Incident]
  ) -> String {
    let nights = Count.of(nightCount, "night")
    let span =
      "\(nights) of \(plan) on \(rig), \(CalendarDay(number: days.lowerBound)) to "
      + "\(CalendarDay(number: days.upperBound))"
    switch outcome {
    case .regression:
      let raised = incidents.count { $0.standing == .raised }
      return "Regression: \(Count.of(raised, "incident")) for the worse in \(span)."
    case .rigMoved: return "The rig moved: the control changed in \(span)."
    case .outsideLimits:
      return (incidents.contains(where: \.isOpen) ? "O" : "No regression, but o")
        + "utside the plan's limits: \(span)."
    case .unconfirmed:
      guard let open = incidents.first(where: \.isOpen),
        open.standing == .suspected || open.lead.alarm.isWeak
      else { return "A change is not confirmed yet: \(span)." }
      return "\(suspicion(of: open)). Nothing is confirmed yet: \(span)."
    case .tooFew:
      let needed = Count.of(waiting.min() ?? 1, "more night")
      return "Too few nights to tell: \(span); \(needed) until the newest can be judged."
    case .steady, .empty: return "No regression: \(span)."
    }
  }

  func sentence(of change: Change) -> String {
    let point = change.point
    let unit = change.unit
    return "\(subject(of: change)) went from \(Shown.size(point.before, unit)) to "
      + "\(Shown.size(point.after, unit)) (\(Self.effect(of: point, unit))) on "
      + "\(CalendarDay(number: point.day))"
  }

  static func sentence(of difference: EnvironmentDifference) -> String {
    "\(difference.key) from \(Count.list(difference.good, atMost: 4)) to "
      + Count.list(difference.bad, atMost: 4)
  }

  func subject(of change: Change) -> String { subject(of: change.alarm.key) }

  /// What a series is of; on which actuator only where there are several.
  func subject(of key: SeriesKey) -> String {
    Shown.name(ofSeries: key.reading, by: Shown.phrase)
      + (key.pattern.isEmpty ? "" : " of \(key.pattern)")
      + (actuator(of: key).map { " on \($0)" } ?? "")
  }

  /// The actuator of a series where there are several.
  func actuator(of key: SeriesKey) -> String? {
    let isOfOne = series.allSatisfy { $0.key.actuator == key.actuator || $0.key.actuator.isEmpty }
    return isOfOne || key.actuator.isEmpty ? nil : key.actuator
  }

  static func effect(of point: ChangePoint, _ unit: MeasurementUnit) -> String {
    (point.effect > 0 ? "+" : "")
      + Shown.size(point.effect, unit, uncertainty: point.uncertainty)
  }

  func suspicion(of incident: Incident) -> String {
    let (point, unit) = (incident.lead.point, incident.lead.unit)
    let isWeak = incident.lead.alarm.isWeak
    return (isWeak ? "Weakly suspected" : "Suspected")
      + " since \(CalendarDay(number: point.day)): \(subject(of: incident.lead)) "
      + "\(Self.effect(of: point, unit)) (\(Shown.size(point.before, unit)) to "
      + "\(Shown.size(point.after, unit)))\(incident.company); "
      + (isWeak ? incident.needed : incident.shownReason)
  }

  /// What the leading change is to another one of its incident: `explains 218 of 220 us`.
  static func words(of tie: ChangeDetection.Incident.Tie, _ change: Change) -> String {
    func share(_ amount: Double) -> String {
      let whole = Shown.size(change.point.effect, change.unit)
      let part = Shown.size(amount, change.unit)
      guard let unit = whole.split(separator: " ").last, part.hasSuffix(" \(unit)") else {
        return "\(part) of \(whole)"
      }
      return "\(part.dropLast(unit.count + 1)) of \(whole)"
    }
    return switch tie {
    case .follows(let amount?): "explains \(share(amount))"
    case .follows(nil): "follows from it"
    case .exceeds(let amount): "explains only \(share(amount))"
    case .precedes: "explains it"
    case .beside: "not explained by it"
    }
  }
}
