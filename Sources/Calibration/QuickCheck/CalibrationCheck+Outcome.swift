import Units

extension CalibrationCheck {
  /// What became of one number.
  public enum Verdict: String, Sendable, Hashable {
    /// As the profile says, within what is known.
    case same
    /// Not as the profile says.
    case drifted
    /// The profile says nothing of it.
    case unknown
  }

  /// One number then and now.
  public struct Finding: Sendable, Equatable {
    /// `f0`, `q`, `gain`, `latency`, `noise`; for a motor `speed` and `acceleration`.
    public var name: String
    /// The unit of both numbers.
    public var unit: String
    /// What the profile says.
    public var expected: Double
    /// One standard deviation of that.
    public var expectedUncertainty: Double
    /// What was found.
    public var found: Double
    /// One standard deviation of that.
    public var foundUncertainty: Double
    /// The difference in standard deviations of both together.
    public var sigmas: Double
    /// What it means.
    public var verdict: Verdict
    /// The drive's peak at which both were measured, in volts; nil where it does not matter.
    public var drive: Double?
    /// What an undisturbed actuator does from day to day, as a share of what the profile says; a part of
    /// the sigmas that stands in neither uncertainty.
    public var daily = 0.0

    /// A value as a person reads it, with its unit and its uncertainty.
    public func shown(_ value: Double, uncertainty: Double? = nil) -> String {
      guard let known = MeasurementUnit(rawValue: unit) else {
        return EngineeringFormat.text(value, .one, uncertainty: uncertainty) + " " + unit
      }
      return EngineeringFormat.text(value, known, uncertainty: uncertainty)
    }
  }

  /// All that a check found.
  public struct Outcome: Sendable, Equatable {
    /// Number by number.
    public var findings: [Finding]

    /// Whether anything has drifted.
    public var hasDrifted: Bool { findings.contains { $0.verdict == .drifted } }

    /// One sentence for a person.
    public var summary: String {
      let drifted = findings.filter { $0.verdict == .drifted }
      guard let worst = drifted.max(by: { abs($0.sigmas) < abs($1.sigmas) }) else {
        return "The actuator is what its profile says."
      }
      return "The actuator has drifted from its profile: \(worst.name) is "
        + "\(worst.shown(worst.found)) instead of \(worst.shown(worst.expected)), "
        + "\(text(abs(worst.sigmas))) sigma; calibrate it again."
    }
  }
}
