import ChangeDetection
import Units

extension HistoryReport {
  /// What it comes to in words for a person, the most important first: the outcome, and what changed first.
  package var sentences: [String] {
    guard let days else { return ["There is no complete run of \(plan) on \(rig)."] }
    var sentences = [headline(days)]
    let raised = changes(.raised)
    if let first = raised.first { sentences.append("First: " + Self.sentence(of: first) + ".") }
    if raised.count > 1 {
      let others = Set(raised.dropFirst().map(\.alarm.key.reading)).sorted()
      sentences.append(
        "\(Count.of(raised.count - 1, "more change")): \(Self.list(others)).")
    }
    if let difference = raised.first?.differences.first {
      sentences.append("With it changed " + Self.sentence(of: difference) + ".")
    }
    let held = changes(.heldBack)
    if let first = held.first {
      sentences.append(
        "Held back: \(Self.subject(of: first)), since \(first.alarm.reason)"
          + (held.count > 1 ? "; and \(Count.of(held.count - 1, "more change"))." : "."))
    }
    if !violations.isEmpty {
      sentences.append(
        "Outside the plan's limits on the newest night: "
          + Self.list(Set(violations.map(\.reading)).sorted()) + ".")
    }
    let waiting = changes(.unconfirmed)
    if let first = waiting.first {
      sentences.append(
        "Not confirmed yet: " + Self.sentence(of: first)
          + (waiting.count > 1 ? ", and \(waiting.count - 1) more." : "."))
    }
    return sentences
  }

  private func headline(_ days: ClosedRange<Int>) -> String {
    let nights = Count.of(nightCount, "night")
    let span =
      "\(nights) of \(plan) on \(rig), \(CalendarDay(number: days.lowerBound)) to "
      + "\(CalendarDay(number: days.upperBound))"
    return switch outcome {
    case .regression:
      "Regression: \(Count.of(changes(.raised).count, "confirmed change")) for the worse in \(span)."
    case .rigMoved: "The rig moved: the control changed in \(span)."
    case .outsideLimits: "No regression, but outside the plan's limits: \(span)."
    case .unconfirmed: "No regression; a change is not confirmed yet: \(span)."
    case .steady, .empty: "No regression: \(span)."
    }
  }

  var nightCount: Int { Set(series.flatMap { $0.nightly.nights.map(\.day) }).count }

  /// A change as a clause: what, from where to where, and since when.
  static func sentence(of change: Change) -> String {
    let point = change.point
    let unit = change.unit
    return
      "\(subject(of: change)) went from \(EngineeringFormat.text(point.before, unit)) to "
      + "\(EngineeringFormat.text(point.after, unit)) (\(Self.effect(of: point, unit))) on "
      + "\(CalendarDay(number: point.day))"
  }

  /// A difference of the environment as a clause: `kernel from 6.1 to 6.2`.
  static func sentence(of difference: EnvironmentDifference) -> String {
    "\(difference.key) from \(list(difference.good)) to \(list(difference.bad))"
  }

  static func subject(of change: Change) -> String {
    let key = change.alarm.key
    return key.reading + (key.pattern.isEmpty ? "" : " of \(key.pattern)")
  }

  /// The change with its sign and uncertainty.
  static func effect(of point: ChangePoint, _ unit: MeasurementUnit) -> String {
    (point.effect > 0 ? "+" : "")
      + EngineeringFormat.text(point.effect, unit, uncertainty: point.uncertainty)
  }

  /// Words with commas between them, the first four.
  private static func list(_ words: [String]) -> String {
    words.prefix(4).joined(separator: ", ")
      + (words.count > 4 ? " and \(words.count - 4) more" : "")
  }
}
