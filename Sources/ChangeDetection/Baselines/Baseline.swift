// SPDX-License-Identifier: Apache-2.0

/// Which way of a reading is the better one.
public enum BetterDirection: String, Sendable, Hashable, CaseIterable {
  /// Less is better: latency, jitter, losses, noise.
  case lower
  /// More is better: correlation, pulse to ring.
  case higher
  /// The nearer to 0 the better: errors, offsets.
  case nearerZero
  /// No way is better: any change is to be looked at.
  case steady

  /// The direction of a reading by its name; `steady` for a name that is not known and for controls.
  public init(reading: String) {
    self =
      switch reading {
      case "latency.electrical", "latency.transport", "latency.rise", "latency.onset",
        "latency.event", "latency.total", "latency.jitter", "latency.jitter.stream",
        "latency.jitter.restarts", "consistency.j", "energy.outside", "gamut.outside",
        "quantisation.level", "quantisation.frequency", "quantisation.silenced",
        "quantisation.prolonged", "quantisation.delay",
        "dropouts", "xruns", "xruns.perHour", "overloads", "noise.floor", "drive.limited",
        "mixing.limited", "profile.limited", "voices.dropped", "intensity.contrast",
        "events.dropped", "events.late", "events.extra", "response.rise", "response.braking",
        "response.distortion", "response.crossAxis":
        .lower
      case "envelope.correlation", "pulseToRing", "events.scored", "response.snr": .higher
      case _ where reading == "harmony" || reading.hasPrefix("harmony."): .higher
      case "sync.audioHaptic", "intensity.error", "intensity.jnd", "sharpness.error", "decay.error",
        "drift":
        .nearerZero
      default: .steady
      }
  }

  /// What a change from one level to another is.
  public func course(from before: Double, to after: Double) -> Course {
    let gain: Double =
      switch self {
      case .lower: before - after
      case .higher: after - before
      case .nearerZero: abs(before) - abs(after)
      case .steady: before == after ? 0 : -1
      }
    return gain > 0 ? .better : gain < 0 ? .worse : .same
  }

  /// What a change means for the product.
  public enum Course: String, Sendable, Hashable {
    case better
    case same
    case worse
  }
}

/// Which series somebody's word is about; what is `nil` does not narrow it.
public struct SeriesScope: Sendable, Hashable {
  /// The rig's name.
  public var rig: String
  /// The actuator's id; every one where it is `nil`.
  public var actuator: String?
  /// The pattern's name; every one where it is `nil`, that of the whole run where it is empty.
  public var pattern: String?
  /// The reading's name; every one where it is `nil`.
  public var reading: String?

  /// Makes a scope.
  public init(
    rig: String, actuator: String? = nil, pattern: String? = nil, reading: String? = nil
  ) {
    self.rig = rig
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  /// The scope of one series alone.
  public init(_ key: SeriesKey) {
    self.init(rig: key.rig, actuator: key.actuator, pattern: key.pattern, reading: key.reading)
  }

  /// Whether a series is in it.
  public func contains(_ key: SeriesKey) -> Bool {
    key.rig == rig && (actuator ?? key.actuator) == key.actuator
      && (pattern ?? key.pattern) == key.pattern && (reading ?? key.reading) == key.reading
  }

  /// Whether another scope names all that this one does, and so lies within it.
  public func contains(_ other: SeriesScope) -> Bool {
    other.rig == rig && (actuator == nil || other.actuator == actuator)
      && (pattern == nil || other.pattern == pattern)
      && (reading == nil || other.reading == reading)
  }
}

/// Someone's word on a level: this is the one to hold new nights against.
public struct BaselineDecision: Sendable, Hashable {
  /// What was decided.
  public enum Kind: Sendable, Hashable {
    /// The changes up to the day are accepted; the nights since the last of them are the baseline.
    case accepted
    /// The baseline is what one run measured, whatever the nights do, until the next decision.
    case pinned(run: String)
  }

  /// The series.
  public var scope: SeriesScope
  /// What was decided.
  public var kind: Kind
  /// The night up to which changes are accepted, in days since 1970-01-01 UTC; that of a pinned run.
  public var day: Int
  /// Who decided.
  public var who: String
  /// When, as text in UTC: `2026-11-21T09:51:50Z`.
  public var when: String
  /// Why.
  public var why: String

  /// Makes a decision.
  public init(_ kind: Kind, scope: SeriesScope, day: Int, who: String, when: String, why: String) {
    self.scope = scope
    self.kind = kind
    self.day = day
    self.who = who
    self.when = when
    self.why = why
  }

  /// The decision that holds for a series, of those in the order in which they were given.
  ///
  /// The last one about it; but a pin stands against what is wider than it, and gives way to a
  /// decision that names all that it names.
  public static func holding(
    for key: SeriesKey, among decisions: [BaselineDecision]
  ) -> BaselineDecision? {
    var holding: BaselineDecision?
    for decision in decisions where decision.scope.contains(key) {
      if let pin = holding, pin.run != nil, !pin.scope.contains(decision.scope) { continue }
      holding = decision
    }
    return holding
  }

  /// The run that it pins; `nil` of an accepted level.
  public var run: String? { if case .pinned(let run) = kind { run } else { nil } }
}

/// What new nights of a series are held against.
public struct Baseline: Sendable, Hashable {
  /// The level: the median of the nights.
  public var level: Double
  /// The standard deviation of a night about it, from the median absolute deviation.
  public var spread: Double
  /// The first and the last day of the nights; `nil` of a pinned one.
  public var days: ClosedRange<Int>?
  /// How many nights; 0 of a pinned one.
  public var count: Int
  /// The decision it rests on; `nil` where nobody has decided.
  public var decision: BaselineDecision?
}

extension Baseline {
  /// Takes the baseline of a series; `nil` of a series without nights.
  ///
  /// From the last accepted change (or the first night) up to the first confirmed change that is
  /// not accepted, or the last night. Of the decisions about the series the one counts that
  /// `BaselineDecision.holding` gives.
  /// A pinned run is the level; its spread is that of the nights of its own level, or the run's own
  /// uncertainty where those do not scatter. A pinned run that did not measure the series leaves
  /// the decision before it in force.
  ///
  /// `decisions` may be of other series too, in the order in which they were given; `pinned` is what pinned
  /// runs measured of the series.
  public init?(
    of series: NightlySeries, points: [ChangePoint], decisions: [BaselineDecision] = [],
    pinned: [Repeat] = []
  ) {
    let confirmed = points.filter { $0.state == .confirmed }
    let decision = BaselineDecision.holding(
      for: series.key,
      among: decisions.filter { decision in
        decision.run.map { run in pinned.contains { $0.run == run } } ?? true
      })
    let accepted = decision?.day ?? Int.min
    let start = confirmed.last { $0.day <= accepted }?.day ?? Int.min
    let end = confirmed.first { $0.day > accepted }?.day ?? Int.max
    let nights = series.nights.filter { $0.day >= start && $0.day < end }
    let values = nights.map(\.value)
    let spread = Robust.deviation(of: values)
    if let decision, let golden = pinned.first(where: { $0.run == decision.run }) {
      self.init(
        level: golden.value, spread: max(spread, golden.uncertainty), days: nil, count: 0,
        decision: decision)
      return
    }
    guard let first = nights.first, let last = nights.last, let level = Robust.median(values) else {
      return nil
    }
    self.init(
      level: level, spread: spread, days: first.day...last.day, count: nights.count,
      decision: decision)
  }

  /// Whether the decision it rests on has accepted a change.
  public func accepts(_ point: ChangePoint) -> Bool {
    decision.map { point.day <= $0.day } ?? false
  }
}
