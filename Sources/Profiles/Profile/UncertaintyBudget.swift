/// How well the accelerations of a profile are known, and why (GUM).
public struct UncertaintyBudget: Sendable, Equatable {
  /// How a contribution was found; the raw value is what the file says.
  public enum Evaluation: String, Sendable, Hashable, CaseIterable {
    /// From repeated measurements.
    case typeA = "A"
    /// From anything else: a certificate, a data sheet, a bound.
    case typeB = "B"
  }

  /// One contribution.
  public struct Line: Sendable, Equatable {
    /// The name of the sensor's sensitivity, by its certificate.
    public static let sensitivity = "sensor sensitivity"
    /// The name of what a sensor without a certificate is taken to have.
    public static let noCertificate = "sensor without certificate"
    /// The name of the sensor's flatness where the rig file does not give its bandwidth.
    public static let unknownBandwidth = "sensor flatness, bandwidth not given"
    /// The name of the drive's voltage where no reference is captured.
    public static let unseenDrive = "drive voltage, not captured"

    /// Where it comes from.
    public var name: String
    /// Its relative standard uncertainty.
    public var relative: Double
    /// How it was found.
    public var evaluation: Evaluation
    /// The degrees of freedom; nil for as good as infinite.
    public var degreesOfFreedom: Double?

    /// Makes a line.
    public init(
      name: String, relative: Double, evaluation: Evaluation, degreesOfFreedom: Double? = nil
    ) {
      self.name = name
      self.relative = relative
      self.evaluation = evaluation
      self.degreesOfFreedom = degreesOfFreedom
    }
  }

  /// The contributions, taken as independent.
  public var lines: [Line]

  /// Makes a budget.
  public init(lines: [Line]) { self.lines = lines }

  /// The combined relative standard uncertainty: the root of the sum of squares.
  public var combined: Double {
    lines.reduce(0) { $0 + $1.relative * $1.relative }.squareRoot()
  }

  /// The expanded relative uncertainty, k = 2.
  public var expanded: Double { 2 * combined }

  /// The effective degrees of freedom (Welch and Satterthwaite); nil for as good as infinite.
  public var degreesOfFreedom: Double? {
    let sum = lines.reduce(0.0) { sum, line in
      guard let freedom = line.degreesOfFreedom, freedom > 0 else { return sum }
      let square = line.relative * line.relative
      return sum + square * square / freedom
    }
    let variance = combined * combined
    return sum > 0 ? variance * variance / sum : nil
  }
}
