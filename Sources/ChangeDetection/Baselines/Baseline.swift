/// Someone's word on a series: this level is the one to hold new nights against.
public struct BaselineDecision: Sendable, Hashable {
  /// What was decided.
  public enum Kind: Sendable, Hashable {
    /// The changes up to the day are accepted; the nights since the last of them are the baseline.
    case accept
    /// The baseline is this level and spread, whatever the nights do, until the next decision.
    case pin(level: Double, spread: Double)
  }

  /// The series.
  public var key: SeriesKey
  /// What was decided.
  public var kind: Kind
  /// Up to which night, in days since 1970-01-01 UTC.
  public var day: Int
  /// Who decided.
  public var who: String
  /// When, as text.
  public var when: String
  /// Why.
  public var why: String

  /// Makes a decision.
  public init(
    key: SeriesKey, kind: Kind, day: Int, who: String, when: String, why: String
  ) {
    self.key = key
    self.kind = kind
    self.day = day
    self.who = who
    self.when = when
    self.why = why
  }
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

  /// Makes a baseline.
  public init(
    level: Double, spread: Double, days: ClosedRange<Int>?, count: Int,
    decision: BaselineDecision? = nil
  ) {
    self.level = level
    self.spread = spread
    self.days = days
    self.count = count
    self.decision = decision
  }

  /// Takes the baseline of a series; `nil` of a series without nights.
  ///
  /// From the last accepted change (or the first night) up to the first confirmed change that is
  /// not accepted, or the last night. The latest decision of the series' key counts, whatever order
  /// they come in; of two of one day the later given.
  ///
  /// - Parameters:
  ///   - series: The nights.
  ///   - points: Its changes.
  ///   - decisions: Decisions, of this and other series.
  public init?(
    of series: NightlySeries, points: [ChangePoint], decisions: [BaselineDecision] = []
  ) {
    let decision = Self.latest(decisions, of: series.key)
    if let decision, case .pin(let level, let spread) = decision.kind {
      self.init(level: level, spread: spread, days: nil, count: 0, decision: decision)
      return
    }
    let confirmed = points.filter { $0.state == .confirmed }
    let accepted = decision?.day ?? Int.min
    let start = confirmed.last { $0.day <= accepted }?.day ?? Int.min
    let end = confirmed.first { $0.day > accepted }?.day ?? Int.max
    let nights = series.nights.filter { $0.day >= start && $0.day < end }
    let values = nights.map(\.value)
    guard let first = nights.first, let last = nights.last, let level = Robust.median(values) else {
      return nil
    }
    self.init(
      level: level, spread: Robust.deviation(of: values), days: first.day...last.day,
      count: nights.count, decision: decision)
  }

  /// The decision that counts for a series.
  static func latest(_ decisions: [BaselineDecision], of key: SeriesKey) -> BaselineDecision? {
    decisions.filter { $0.key == key }.reduce(nil) { latest, next in
      guard let latest, latest.day > next.day else { return next }
      return latest
    }
  }

  /// Whether the decision it rests on has accepted a change.
  public func accepts(_ point: ChangePoint) -> Bool {
    guard let decision else { return false }
    return point.day <= decision.day
  }
}
