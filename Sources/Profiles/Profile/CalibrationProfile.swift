// SPDX-License-Identifier: Apache-2.0

public import Actuators
import JSONText

/// What a calibration found out about one actuator, and what makes it feel like every other.
public struct CalibrationProfile: Sendable, Equatable {
  /// The actuator that was calibrated, as it was mounted, with the limits that were kept, never wider
  /// than the rig's.
  public var actuator: Actuator
  /// The rig that it was calibrated on.
  public var rig: String
  /// What it does with its drive.
  public var model: ActuatorModel
  /// The inverse of the model: wanted acceleration to volts.
  public var feedForward: FeedForward
  /// What inverse and model leave to correct.
  public var correction: ResponseCorrection
  /// What taps take besides, as they were found to come out; empty where that was not measured.
  public var tapCorrection: ResponseCorrection
  /// The strongest steady vibrations.
  public var ceiling: ReachableCeiling
  /// The curve of an eccentric rotating mass; nil for all other kinds.
  public var motorCurve: MotorCurve?
  /// What intensity and sharpness mean.
  public var laws: ProfileLaws
  /// How the actuator was measured, besides what is said of the actuator itself.
  public var conditions: ProfileConditions
  /// The sensor's noise at rest over the band that is felt, in m/s2 rms; nil where it was not kept.
  public var noise: MeasuredQuantity?
  /// What was achieved; nil for a profile that was re-targeted and not measured since.
  public var verification: ProfileVerification?
  /// How well accelerations are known.
  public var uncertainty: UncertaintyBudget
  /// What the profile was made from.
  public var source: ProfileSource

  /// Makes a profile.
  public init(
    actuator: Actuator, rig: String, model: ActuatorModel, feedForward: FeedForward,
    correction: ResponseCorrection = .none, tapCorrection: ResponseCorrection = .none,
    ceiling: ReachableCeiling,
    motorCurve: MotorCurve? = nil, laws: ProfileLaws,
    conditions: ProfileConditions = ProfileConditions(), noise: MeasuredQuantity? = nil,
    verification: ProfileVerification? = nil, uncertainty: UncertaintyBudget,
    source: ProfileSource
  ) {
    self.actuator = actuator
    self.rig = rig
    self.model = model
    self.feedForward = feedForward
    self.correction = correction
    self.tapCorrection = tapCorrection
    self.ceiling = ceiling
    self.motorCurve = motorCurve
    self.laws = laws
    self.conditions = conditions
    self.noise = noise
    self.verification = verification
    self.uncertainty = uncertainty
    self.source = source
  }
}

/// What a profile was made from.
public struct ProfileSource: Sendable, Hashable {
  /// The identifier of the run.
  public var run: String
  /// The SHA-256 of the run's record, in hexadecimal digits.
  public var hash: String
  /// The version of the program.
  public var program: String
  /// The date, as it was given.
  public var date: String

  /// Makes a source.
  public init(run: String, hash: String, program: String, date: String) {
    self.run = run
    self.hash = hash
    self.program = program
    self.date = date
  }

  static let form = JSONForm(
    Self.init(run:hash:program:date:), ("run", \.run, .filled),
    ("hash", \.hash, .string.checked(checkHash)), ("program", \.program, .filled),
    ("date", \.date, .string.checked(checkDate)))

  @Sendable private static func checkHash(
    _ field: JSONField, _ text: String
  ) throws(ProfileError) {
    try field.check(
      text.utf8.count == 64 && text.utf8.allSatisfy("0123456789abcdef".utf8.contains),
      "is '\(JSONField.shortened(text))', but must be a SHA-256: 64 digits of "
        + "0-9 and a-f")
  }

  @Sendable private static func checkDate(
    _ field: JSONField, _ text: String
  ) throws(ProfileError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isWritten = text.utf8.count == 10 && parts.map(\.utf8.count) == [4, 2, 2]
    let numbers = parts.compactMap { $0.first?.isNumber == true ? Int($0) : nil }
    try field.check(
      isWritten && numbers.count == 3 && numbers[0] >= 1 && (1...12).contains(numbers[1])
        && (1...days(in: numbers[1], of: numbers[0])).contains(numbers[2]),
      "is '\(JSONField.shortened(text))', but must be a day, year first, such as "
        + "2026-11-21")
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }
}

/// How an actuator was measured: outside of these conditions a profile's numbers are not proven.
public struct ProfileConditions: Sendable, Equatable {
  /// The axis that was measured.
  public var axis: String?
  /// How sensor and actuator were fixed.
  public var mount: String?
  /// What the actuator was driven from, as far as Q depends on it.
  public var source: String?

  /// Makes conditions.
  public init(axis: String? = nil, mount: String? = nil, source: String? = nil) {
    self.axis = axis
    self.mount = mount
    self.source = source
  }

  /// The axes as a set; nil where they are not known or are not called x, y and z.
  var axes: Set<String>? {
    let names = Set((axis ?? "").lowercased().split(separator: " ").map(String.init))
    return names.isEmpty || !names.isSubset(of: ["x", "y", "z"]) ? nil : names
  }
}

extension CalibrationProfile {
  /// The shape of taps of a length in seconds: from their crest, or from zero where a slope is limited.
  public func tapShape(length: Double) -> TapShape { actuator.limits.tapShape(length: length) }
}

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

    fileprivate static let form = JSONForm(
      Self.init(name:relative:evaluation:degreesOfFreedom:), ("name", \.name, .string),
      ("relative", \.relative, .number(in: 0...1)), ("type", \.evaluation, .word),
      ("degreesOfFreedom", \.degreesOfFreedom, .optional(.positive(upTo: 1e6))))
  }

  /// The contributions, taken as independent.
  public var lines: [Line]

  /// Makes a budget.
  public init(lines: [Line]) { self.lines = lines }

  /// What the lines add up to stands there for readers and must agree.
  static let form = JSONForm(
    { lines, _, _ in UncertaintyBudget(lines: lines) }, ("lines", \.lines, .list(Line.form)),
    ("combined", \.combined, .number), ("expanded", \.expanded, .number)
  ).checked { field, budget throws(ProfileError) in
    for (key, value) in [("combined", budget.combined), ("expanded", budget.expanded)] {
      let found = try field[key]
      try found.check(
        abs(found.number() - value) <= 1e-6 * value + 1e-12,
        "is \(try found.number()), but the lines add up to \(value)")
    }
  }

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
