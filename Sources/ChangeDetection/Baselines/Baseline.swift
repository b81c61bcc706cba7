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
  /// not accepted, or the last night. Of the decisions about the series the one given last counts.
  /// A pinned run is the level; its spread is that of the nights of its own level, or the run's own
  /// uncertainty where those do not scatter. A pinned run that did not measure the series leaves
  /// the decision before it in force.
  ///
  /// - Parameters:
  ///   - series: The nights.
  ///   - points: Its changes.
  ///   - decisions: Decisions, of this and other series, in the order in which they were given.
  ///   - pinned: What pinned runs measured of the series.
  public init?(
    of series: NightlySeries, points: [ChangePoint], decisions: [BaselineDecision] = [],
    pinned: [Repeat] = []
  ) {
    let confirmed = points.filter { $0.state == .confirmed }
    let decision = decisions.last { decision in
      decision.scope.contains(series.key)
        && decision.run.map { run in pinned.contains { $0.run == run } } ?? true
    }
    if let decision, let golden = pinned.first(where: { $0.run == decision.run }) {
      let start = confirmed.last { $0.day <= decision.day }?.day ?? Int.min
      let end = confirmed.first { $0.day > decision.day }?.day ?? Int.max
      let level = series.nights.filter { $0.day >= start && $0.day < end }.map(\.value)
      self.init(
        level: golden.value, spread: max(Robust.deviation(of: level), golden.uncertainty),
        days: nil, count: 0, decision: decision)
      return
    }
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

  /// Whether the decision it rests on has accepted a change.
  public func accepts(_ point: ChangePoint) -> Bool {
    guard let decision else { return false }
    return point.day <= decision.day
  }
}
