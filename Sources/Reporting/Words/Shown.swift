import Acceptance
import Units

/// How single things of a record are shown to a person.
enum Shown {
  /// The value with its uncertainty and unit, a bound as one; `nil` where it was not measured.
  ///
  /// Of a run of several takes the uncertainty is no less than the scatter of the same reading.
  static func value(of reading: Reading, _ scatter: ReadingScatter) -> String? {
    reading.value.map {
      let text = EngineeringFormat.text(
        $0, reading.unit, uncertainty: scatter.uncertainty(of: reading))
      return reading.name.kind == .xrunsPerHour ? "at most \(text)" : text
    }
  }

  /// The name where it stands among others of its pattern; of the control, whose patterns have no place of
  /// their own, with the pattern.
  static func name(of reading: Reading) -> String {
    let pattern = reading.name.isControl ? reading.pattern.map { " of \($0)" } : nil
    return reading.name.description + (pattern ?? "")
  }

  /// The text with the signs that a page can show and a terminal may not: `us` and `m/s2`.
  static func typeset(_ text: String) -> String {
    if text.hasSuffix(" us") { return text.dropLast(2) + "µs" }
    if text.hasSuffix("m/s2") { return text.dropLast() + "²" }
    return text
  }

  /// The sign of a verdict, which tells it apart without colour.
  static func sign(of verdict: Verdict) -> String {
    switch verdict {
    case .pass: "✓"
    case .marginal: "!"
    case .notMeasured: "?"
    case .fail: "✕"
    }
  }

  /// A length of time in seconds.
  static func seconds(_ seconds: Double) -> String { EngineeringFormat.text(seconds, .second) }
}

extension Reading {
  /// The pattern under which it is shown; what the control told is shown as the run's.
  var shownPattern: String? { name.isControl ? nil : pattern }
}
