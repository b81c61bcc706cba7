// SPDX-License-Identifier: Apache-2.0

import JSONText
import Units

/// Which calibration an actuator is driven by, as a plan names it.
public enum PlanProfile: Sendable, Equatable {
  /// One file or folder for every actuator, or ``none``.
  case all(String)
  /// A file, a folder or ``none`` for each actuator by its id.
  case byActuator([String: String])

  /// The word for driving an actuator uncalibrated.
  public static let none = "none"

  /// The file, the folder or ``none`` for an actuator; `nil` where the plan leaves it open.
  public func choice(for actuator: String) -> String? {
    switch self {
    case .all(let path): path
    case .byActuator(let paths): paths[actuator]
    }
  }

  static let form = JSONForm<PlanProfile> { field throws(RunRecordError) in
    if let path = field.node.string { return .all(path) }
    return .byActuator(try JSONForm.named(.string).value(of: field))
  } _: { profile in
    switch profile {
    case .all(let path): .string(path)
    case .byActuator(let paths): JSONForm.named(.string).json(paths)
    }
  }
}

/// What a run measures besides the device under test, in the same way: the A/A control.
///
/// Where its readings moved, the rig or the program moved, not the product.
public struct ControlPlan: Sendable, Equatable {
  /// What is measured.
  public enum Subject: Sendable, Equatable {
    /// Another rig, a simulated one as a rule: its file, relative to the plan's folder.
    case rig(String)
    /// The electrical loop of the same rig, from drive to capture by the reference wire.
    case loop
  }

  /// The rig file, where another rig is the control.
  public var rigName: String? { if case .rig(let name) = subject { name } else { nil } }

  private var isOfLoop: Bool? { subject == .loop ? true : nil }

  /// What is measured.
  public var subject: Subject
  /// Files and folders of patterns, relative to the plan's folder; none stands for the plan's own.
  public var patterns: [String]
  /// After how many takes it is measured again; `nil` for once, before the first.
  public var every: Int?

  /// Makes a control.
  public init(_ subject: Subject, patterns: [String] = [], every: Int? = nil) {
    precondition((every ?? 1) > 0, "a control comes after at least one take")
    self.subject = subject
    self.patterns = patterns
    self.every = every
  }

  static let form = JSONForm(
    { rig, _, patterns, every in
      ControlPlan(rig.map(Subject.rig) ?? .loop, patterns: patterns, every: every)
    },
    ("rig", \.rigName, .optional(.string)), ("loop", \.isOfLoop, .derived(.bool)),
    ("patterns", \.patterns, .texts), ("every", \.every, .optional(.integer(atLeast: 1))))
}

/// A reading that has to be measured, whatever its value is.
public struct Requirement: Sendable, Equatable {
  /// The reading.
  public var reading: ReadingName
  /// The patterns that owe it; empty for all.
  public var patterns: [String]

  /// Makes a requirement.
  public init(_ reading: ReadingName, patterns: [String] = []) {
    self.reading = reading
    self.patterns = patterns
  }

  static let form = JSONForm(
    Self.init(_:patterns:), ("reading", \.reading, ReadingName.form),
    ("patterns", \.patterns, .texts))

  /// Whether a pattern owes the reading.
  func applies(to pattern: String) -> Bool { patterns.isEmpty || patterns.contains(pattern) }

  /// The patterns that owe the reading and have not one measured value of it; for a reading of the
  /// run that has none, one `nil`.
  ///
  /// One value of the run pays for all patterns.
  func missing(in readings: [Reading], patterns: [String]) -> [String?] {
    let measured = readings.filter { $0.name == reading && $0.value != nil }
    guard !measured.contains(where: { $0.pattern == nil }) else { return [] }
    // The control has patterns of its own: whichever of them tells the reading is enough.
    let wanted = reading.isControl ? self.patterns : patterns.filter(applies)
    guard !wanted.isEmpty else { return measured.isEmpty ? [nil] : [] }
    return wanted.filter { name in !measured.contains { $0.pattern == name } }
  }
}

/// A reading that is known to fail its limit: where it does, it counts as a pass and is shown.
public struct ExpectedFailure: Sendable, Equatable {
  /// The reading.
  public var reading: ReadingName
  /// The pattern that it fails of; `nil` for whichever reading of the name.
  public var pattern: String?
  /// Why it fails, in a sentence for whoever reads the record.
  public var why: String

  /// Makes an expectation.
  public init(_ reading: ReadingName, pattern: String? = nil, why: String) {
    self.reading = reading
    self.pattern = pattern
    self.why = why
  }

  static let form = JSONForm(
    Self.init(_:pattern:why:), ("reading", \.reading, ReadingName.form),
    ("pattern", \.pattern, .optional(.string)), ("why", \.why, .string))

  /// Whether the expectation is about a reading.
  public func covers(_ reading: Reading) -> Bool {
    reading.name == self.reading && (pattern == nil || reading.pattern == pattern)
  }

  /// How an expectation turned out.
  public enum Outcome: Sendable, Hashable {
    /// At least one of its readings failed, as many as stand here: all of them count as a pass.
    case failed(Int)
    /// Its readings were judged and none failed: marginal, for what was expected is no longer so.
    case passed
    /// Nothing of it was measured and judged.
    case notMeasured
  }

  /// How it turned out among readings, each by the first limit that holds for it.
  public func outcome(in readings: [Reading], under limits: [Limit]) -> Outcome {
    let verdicts = readings.filter(covers).compactMap { Judgement.verdict(of: $0, under: limits) }
    guard !verdicts.isEmpty else { return .notMeasured }
    let failures = verdicts.count { $0 == .fail }
    return failures > 0 ? .failed(failures) : .passed
  }
}

/// What is looked at before the first take; what does not hold ends the run before it gives a number.
public struct SetupChecks: Sendable, Equatable {
  /// One thing to look at.
  public enum Check: String, Sendable, Hashable, CaseIterable {
    /// There is room for the recordings.
    case diskSpace = "disk-space"
    /// The actuator's temperature, as the rig file gives it, is in a range.
    case temperature
    /// The sensor is quiet while nothing is driven.
    case noiseFloor = "noise-floor"
    /// What the sensor reads at rest is gravity.
    case gravity
    /// The reference channel brings the markers back.
    case reference
    /// The response stands out of the noise when the actuator is driven.
    case response
    /// What the probe finds is the profile's actuator: looked at in every take of a run with a profile.
    case actuator
  }

  /// The most noise of the acceleration at rest, in m/s2 RMS.
  public var noiseFloor: Double?
  /// What the accelerometer reads at rest, in m/s2: of several axes the length of all together.
  public var gravity: Double?
  /// The coldest and the warmest actuator, in degrees Celsius.
  public var temperature: ClosedRange<Double>?
  /// Whether the reference has to bring the markers back.
  public var reference: Bool
  /// Whether the actuator has to answer.
  public var response: Bool
  /// Whether there has to be room for the recordings.
  public var diskSpace: Bool

  /// Makes checks.
  public init(
    noiseFloor: Double? = nil, gravity: Double? = nil, temperature: ClosedRange<Double>? = nil,
    reference: Bool = false, response: Bool = false, diskSpace: Bool = false
  ) {
    self.noiseFloor = noiseFloor
    self.gravity = gravity
    self.temperature = temperature
    self.reference = reference
    self.response = response
    self.diskSpace = diskSpace
  }

  static let form = JSONForm(
    Self.init(noiseFloor:gravity:temperature:reference:response:diskSpace:),
    ("noiseFloor", \.noiseFloor, .optional(.number)), ("gravity", \.gravity, .optional(.number)),
    ("temperature", \.temperature, .optional(temperatures)),
    ("reference", \.reference, .bool.or(false)), ("response", \.response, .bool.or(false)),
    ("diskSpace", \.diskSpace, .bool.or(false)))

  private static let temperatures = JSONForm<ClosedRange<Double>> { field throws(RunRecordError) in
    let ends = try JSONForm.list(.number).value(of: field)
    try field.check(ends.count == 2 && ends[0] <= ends[1], "must be two numbers, the smaller first")
    return ends[0]...ends[1]
  } _: {
    [.number($0.lowerBound), .number($0.upperBound)]
  }

  /// Whether a check needs something to be played.
  public var needsTake: Bool { noiseFloor != nil || gravity != nil || reference || response }

  /// How far what is read at rest may be from gravity, in m/s2: 4 % of it, a tilt of 16 degrees.
  public static let gravityTolerance = 0.04 * MeasurementUnit.standardGravity.factor
}

/// What came of one check before the first take.
public struct SetupFinding: Sendable, Equatable {
  /// What was looked at.
  public var check: SetupChecks.Check
  /// Whether it holds.
  public var holds: Bool
  /// One sentence: what was found, what was expected, and what to do where it does not hold.
  public var sentence: String

  /// Makes a finding.
  public init(_ check: SetupChecks.Check, holds: Bool, _ sentence: String) {
    self.check = check
    self.holds = holds
    self.sentence = sentence
  }

  static let form = JSONForm(
    Self.init(_:holds:_:), ("check", \.check, .word), ("holds", \.holds, .bool),
    ("sentence", \.sentence, .string))
}
