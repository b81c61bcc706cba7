// SPDX-License-Identifier: Apache-2.0

/// Judging a run's readings by a plan's limits.
public enum Judgement {
  /// Writes limit and verdict into each reading and returns the run's verdict; `patterns` are those that were
  /// played.
  ///
  /// A run is as its heaviest judged reading: fail, then a required reading that was not measured,
  /// then marginal, then pass. A required limit asks for at least one measured reading of its name
  /// for each pattern it holds for, or for the run where the reading is of the run. Readings that are
  /// expected to fail count as a pass where one of them does, and are marginal where none does.
  /// Without a profile the limits of calibrated runs judge nothing and ask for nothing; a run of a plan that
  /// has such limits is then marginal at best.
  public static func apply(
    _ plan: Plan, to readings: inout [Reading], patterns: [String], hasProfile: Bool = true
  ) -> Verdict {
    let limits = plan.limits(hasProfile: hasProfile)
    for index in readings.indices {
      guard let limit = limit(of: readings[index], among: limits) else { continue }
      readings[index].limit = limit.text
      guard let verdict = verdict(of: readings[index], under: limits) else { continue }
      readings[index].verdict = verdict
    }
    for expected in plan.expectedFailures { expect(expected, of: &readings, under: limits) }
    var verdicts = readings.filter { verdict(of: $0, under: limits) != nil }
      .compactMap(\.verdict)
    let needed = plan.needed(hasProfile: hasProfile)
    if needed.contains(where: { !$0.missing(in: readings, patterns: patterns).isEmpty }) {
      verdicts.append(.notMeasured)
    }
    if limits.count < plan.limits.count { verdicts.append(.marginal) }
    return Verdict.worst(verdicts)
  }

  /// Judges by limits alone.
  public static func apply(
    _ limits: [Limit], to readings: inout [Reading], patterns: [String]
  ) -> Verdict {
    apply(Plan(name: "", limits: limits), to: &readings, patterns: patterns)
  }

  /// The limit that judges a reading: the first of its name that holds for its pattern.
  private static func limit(of reading: Reading, among limits: [Limit]) -> Limit? {
    limits.first { $0.reading == reading.name && $0.applies(to: reading.pattern) }
  }

  /// How a reading's limit judges its value; `nil` where it has neither.
  static func verdict(of reading: Reading, under limits: [Limit]) -> Verdict? {
    guard let value = reading.value, let limit = limit(of: reading, among: limits) else {
      return nil
    }
    return limit.judge(value, uncertainty: reading.uncertainty)
  }

  /// Turns what was expected to fail, and did, into a pass; what did not is marginal.
  private static func expect(
    _ expected: ExpectedFailure, of readings: inout [Reading], under limits: [Limit]
  ) {
    let outcome = expected.outcome(in: readings, under: limits)
    guard outcome != .notMeasured else { return }
    for index in readings.indices where expected.covers(readings[index]) {
      guard let own = verdict(of: readings[index], under: limits) else { continue }
      let hasFailed = outcome != .passed
      readings[index].verdict = hasFailed ? .pass : .marginal
      guard !hasFailed || own == .fail else { continue }
      let note =
        (hasFailed ? "fails as expected: " : "expected to fail, but holds: ") + expected.why
      readings[index].note = [readings[index].note, note].compactMap(\.self).joined(separator: "; ")
    }
  }
}

extension Plan {
  /// The limits that hold for a run: without a profile not those of calibrated runs.
  public func limits(hasProfile: Bool) -> [Limit] {
    hasProfile ? limits : limits.filter { !$0.isCalibratedOnly }
  }

  /// Everything that has to be measured, the required limits first.
  func needed(hasProfile: Bool) -> [Requirement] {
    limits(hasProfile: hasProfile).filter(\.required).map {
      Requirement($0.reading, patterns: $0.patterns)
    } + requirements
  }
}

/// The limits of a run whose plan states none: what a good rig passes and a bad one does not.
///
/// What the rig could show it must show: a reference that is wired owes an electrical latency, a probe a transport
/// latency. What a pattern may lack, as sound or events, is not required.
public struct ShippedLimits: Sendable, Equatable {
  /// Whether a reference is wired from drive to capture.
  public var hasReference: Bool
  /// Whether the recording is started together with the drive, so that the delay between them says something.
  public var startsTogether: Bool

  /// Tells what the rig can show.
  public init(hasReference: Bool = true, startsTogether: Bool = true) {
    self.hasReference = hasReference
    self.startsTogether = startsTogether
  }

  /// The limits on rig, timing and, of calibrated runs, feel, in the order in which they are tried; with a probe
  /// each take begins with a sweep that identifies the actuator.
  public func limits(hasProbe: Bool) -> [Limit] {
    rig + timing(hasProbe: hasProbe) + Self.feel
  }

  private var rig: [Limit] {
    [
      Limit(ReadingName(.dropouts), .below(0, marginal: nil)),
      Limit(ReadingName(.xruns), .below(0, marginal: nil)),
      Limit(ReadingName(.overloads), .below(0, marginal: nil)),
      // Two crystals of 100 ppm each.
      Limit(ReadingName(.drift), .within(200, marginal: 100), required: false),
      Limit(ReadingName(.eventsScored), .above(0, marginal: 0.9), required: false),
    ]
  }

  private func timing(hasProbe: Bool) -> [Limit] {
    [
      // Beyond 50 ms a touch is felt as late (Kaaresoja, Brewster and Lantz 2014).
      Limit(
        ReadingName(.latencyElectrical), .below(50e-3, marginal: 20e-3),
        required: hasReference && startsTogether),
      Limit(
        ReadingName(.latencyTransport), .below(10e-3, marginal: 5e-3),
        required: hasReference && hasProbe),
      // The bounds of sync, for an event without a sound. Without a reference it holds the electrical delay.
      Limit(
        ReadingName(.latencyEvent),
        hasReference ? .within(24e-3, marginal: 10e-3) : .within(74e-3, marginal: 30e-3),
        required: false),
      Limit(ReadingName(.latencyJitter), .below(1e-3, marginal: 0.2e-3), required: false),
      Limit(ReadingName(.syncAudioHaptic), .syncBands, required: false),
    ]
  }

  /// Points of one and of two just noticeable differences are 50 and 6.25, those of correlations of 0.71 and 0.5
  /// are 50 and 25.
  private static let feel: [Limit] =
    [ReadingKind.harmonyIntensity, .harmonySharpness, .harmonyDecay].map {
      Limit(
        ReadingName($0), .above(6.25, marginal: 50), required: false, isCalibratedOnly: true)
    } + [
      Limit(
        ReadingName(.harmonyEnvelope), .above(25, marginal: 50), required: false,
        isCalibratedOnly: true),
      Limit(
        ReadingName(.eventsDropped), .below(0, marginal: nil), required: false,
        isCalibratedOnly: true),
    ]
}

extension Plan {
  /// The plan of a run that names patterns and no plan.
  public static func standard(_ shipped: ShippedLimits) -> Plan {
    Plan(name: "standard", limits: shipped.limits(hasProbe: true))
  }
}
