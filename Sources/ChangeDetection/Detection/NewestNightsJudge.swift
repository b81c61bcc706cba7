/// Holds the newest nights of a series, one to five of them, against the level before.
///
/// All of them have to lie off on the same side, more than a deviation each. Their mean is held
/// against the mean of the level by Student's t; the deviation of a night is that of the nights
/// before with that of a prior, each worth its degrees of freedom. Where the nights before are
/// enough to tell wandering from independent scatter, the noise models are asked as well.
struct NewestNightsJudge {
  struct Off {
    var index: Int
    var before: Double
    var after: Double
    var uncertainty: Double
    var chance: Double
  }

  enum Verdict {
    case tooFew(nights: Int)
    case steady
    case off(Off)
  }

  private let nights: [Night]
  private let start: Int
  private let prior: NoisePrior?
  private let minimum: MinimumEffect

  /// Later a change is found, or it is none.
  private static let mostNights = 5
  /// The nights before that are looked at: older ones tell of other times.
  private static let reach = 60
  /// The fewest nights of a level that follows a change: before, a night is its last ones' affair.
  private static let fewestAfterChange = 3
  /// What the nights' own uncertainty is worth as a prior of their scatter, in degrees of freedom.
  private static let freedomOfMeasurement = 2.0
  /// The degrees of freedom below which no night can be judged.
  private static let leastFreedom = 2.0
  /// Nights within this many deviations are not off.
  private static let leastOff = 1.0
  /// Of a double's 53 bits: how far values may differ by rounding alone.
  private static let rounding = 1e-12

  init(_ nights: [Night], from start: Int, prior: NoisePrior?, minimum: MinimumEffect) {
    self.nights = nights
    self.start = start
    self.prior = prior
    self.minimum = minimum
  }

  func verdict(chance most: Double, hasLevelBefore: Bool) -> Verdict {
    let fewest = hasLevelBefore ? Self.fewestAfterChange : fewestBefore
    guard nights.count - start > fewest else {
      return hasLevelBefore ? .steady : .tooFew(nights: fewest + 1 - (nights.count - start))
    }
    var best: Off?
    for count in 1...min(Self.mostNights, nights.count - start - fewest) {
      let off = judged(newest: count)
      if let off, off.chance <= most, off.chance < best?.chance ?? .infinity { best = off }
    }
    return best.map { .off($0) } ?? .steady
  }

  /// The nights without which none can be judged: one where a prior tells the scatter.
  private var fewestBefore: Int {
    let known = max(
      prior?.freedom ?? 0, nights.contains { $0.uncertainty > 0 } ? Self.freedomOfMeasurement : 0)
    return max(1, Int((Self.leastFreedom + 1 - known).rounded(.up)))
  }

  private func judged(newest count: Int) -> Off? {
    let split = nights.count - count
    let level = nights[max(start, split - Self.reach)..<split]
    let values = level.map(\.value)
    let off = nights[split...].map(\.value)
    guard let before = Robust.median(values), let after = Robust.median(off) else { return nil }
    let (deviation, freedom) = scatter(of: values, at: before)
    let uncertainty =
      deviation * (1 / Double(count) + 1 / Double(values.count)).squareRoot()
    guard freedom >= Self.leastFreedom, uncertainty > 0,
      off.allSatisfy({ (($0 - before) * (after > before ? 1 : -1)) > Self.leastOff * deviation }),
      abs(after - before) >= minimum.bound(level: before, uncertainty: 0)
    else { return nil }
    let mean = off.reduce(0, +) / Double(count)
    return Off(
      index: split, before: before, after: after, uncertainty: uncertainty,
      chance: StudentDistribution.tails(beyond: abs(mean - before) / uncertainty, freedom: freedom))
  }

  private func scatter(
    of values: [Double], at level: Double
  ) -> (deviation: Double, freedom: Double) {
    let own = Double(values.count - 1)
    let scale = Robust.scale(values.map { $0 - level })
    let measured = Robust.median(nights.map(\.uncertainty)) ?? 0
    var known = (deviation: measured, freedom: measured > 0 ? Self.freedomOfMeasurement : 0)
    if let prior { known = (max(prior.deviation(at: level), measured), prior.freedom) }
    let freedom = own + known.freedom
    guard freedom > 0 else { return (0, 0) }
    let squares =
      Double(values.count) * scale * scale + known.freedom * known.deviation * known.deviation
    let floor = max(measured, Self.rounding * abs(level))
    return (max((squares / freedom).squareRoot(), floor), freedom)
  }
}
