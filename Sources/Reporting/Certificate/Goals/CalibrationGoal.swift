import Acceptance
import Calibration
import Profiles

/// One thing that a calibration aims at, and what came of it.
struct CalibrationGoal {
  /// What value and limit count; the raw value is the unit that a file says.
  enum Unit: String {
    case decibel = "dB"
    case share = "1"
    case second = "s"
  }

  let name: String
  /// What was achieved; nil where it was not measured.
  let value: Double?
  let limit: Double
  /// Whether the value must be no greater than the limit; else no less.
  let isAtMost: Bool
  let unit: Unit
  /// What the value was taken from, or what it is judged by.
  let basis: String
  /// What keeps a goal that is missed out of reach, where it is not the calibration; else nil.
  var limitedBy: String? { verdict == .marginal ? obstacle : nil }
  /// What would keep it out of reach if it were missed.
  private var obstacle: String?
  /// Why it was not measured, where it was not; else nil.
  var reason: String? { verdict == .notMeasured ? absence : nil }
  /// Why there is no value, if there is none.
  private var absence: String?

  init(
    _ name: String, _ value: Double?, atMost limit: Double, _ unit: Unit, basis: String
  ) {
    self.init(name: name, value: value, limit: limit, isAtMost: true, unit: unit, basis: basis)
  }

  init(
    _ name: String, _ value: Double?, atLeast limit: Double, _ unit: Unit, basis: String
  ) {
    self.init(name: name, value: value, limit: limit, isAtMost: false, unit: unit, basis: basis)
  }

  private init(
    name: String, value: Double?, limit: Double, isAtMost: Bool, unit: Unit, basis: String
  ) {
    self.name = name
    self.value = value.flatMap { $0.isFinite ? $0 : nil }
    self.limit = limit
    self.isAtMost = isAtMost
    self.unit = unit
    self.basis = basis
  }

  /// Met, missed, not measured, or marginal: missed for a limit that has a name.
  var verdict: Verdict {
    guard let value else { return .notMeasured }
    if isAtMost ? value <= limit : value >= limit { return .pass }
    return obstacle == nil ? .fail : .marginal
  }

  /// The same goal, which something keeps out of reach if it is missed; nil for nothing.
  func limited(by reason: String?) -> CalibrationGoal {
    var goal = self
    goal.obstacle = reason
    return goal
  }

  /// The same goal, whose value is missing for a reason if it is; nil for none that is known.
  func unmeasured(because reason: String?) -> CalibrationGoal {
    var goal = self
    goal.absence = reason
    return goal
  }

  /// The number as people read it.
  var shownValue: String { value.map { shown($0) } ?? Verdict.notMeasured.rawValue }

  /// The limit as people read it.
  var shownLimit: String {
    let number =
      switch unit {
      case .decibel: "\(Shown.number(limit)) dB"
      case .share: "\(Shown.number(100 * limit)) %"
      case .second: "\(Shown.number(1e3 * limit)) ms"
      }
    return "\(isAtMost ? "at most" : "at least") \(number)"
  }

  private func shown(_ value: Double) -> String {
    switch unit {
    case .decibel: Shown.decibels(value)
    case .share: Shown.percent(value)
    case .second: Shown.fixed(1e3 * value, abs(value) < 1e-3 ? 4 : 2, "ms")
    }
  }
}
