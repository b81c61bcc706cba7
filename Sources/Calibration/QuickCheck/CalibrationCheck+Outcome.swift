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
      return "The actuator has drifted from its profile: \(worst.name) is \(text(worst.found)) "
        + "\(worst.unit) instead of \(text(worst.expected)), \(text(abs(worst.sigmas))) sigma; calibrate "
        + "it again."
    }
  }
}
