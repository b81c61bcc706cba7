// SPDX-License-Identifier: Apache-2.0

/// One quantity as it was measured some times on one side of a comparison.
public struct RepeatedValue: Sendable, Hashable {
  /// The values, independent of each other.
  public var values: [Double]
  /// The standard uncertainty that one value states of itself; `nil` where it states none.
  public var uncertainty: Double?
  /// The least standard deviation that a value has whatever repeats show, as that of a count.
  public var leastDeviation: Double

  /// Makes a repeated value; traps without values.
  public init(_ values: [Double], uncertainty: Double? = nil, leastDeviation: Double = 0) {
    precondition(!values.isEmpty, "a quantity that was never measured")
    self.values = values
    self.uncertainty = uncertainty.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    self.leastDeviation = leastDeviation
  }

  /// How many values there are.
  public var count: Int { values.count }

  /// The mean of the values.
  public var mean: Double {
    // About the first: equal values have exactly that mean.
    values[0] + values.reduce(0) { $0 + ($1 - values[0]) } / Double(count)
  }

  /// The standard deviation of the values, with n - 1 in the divisor; 0 of one value.
  public var scatter: Double {
    guard count > 1 else { return 0 }
    let mean = mean
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(count - 1)).squareRoot()
  }

  /// What the value states of itself beyond its scatter: that part is the same in every repeat.
  public var systematic: Double {
    guard count > 1, let uncertainty else { return 0 }
    return max(0, uncertainty * uncertainty - scatter * scatter).squareRoot()
  }

  /// The variance of one value, where repeats show it: what repeats that are all the same to the last digit
  /// hide below their resolution is taken to be as large as what they state.
  fileprivate var shownVariance: Double? {
    guard count > 1 else { return nil }
    let deviation = max(scatter > 0 ? scatter : uncertainty ?? 0, leastDeviation)
    return deviation * deviation
  }

  /// The variance that one value states of itself; `nil` where it states none.
  fileprivate var statedVariance: Double? {
    let deviation = max(uncertainty ?? 0, leastDeviation)
    return deviation > 0 ? deviation * deviation : nil
  }
}

/// How far two means lie apart, and whether chance alone would part them as far.
public struct MeanDifference: Sendable, Hashable {
  /// The second mean less the first.
  public let value: Double
  /// Its standard uncertainty.
  public let uncertainty: Double
  /// The degrees of freedom of the uncertainty; infinite where it rests on no repeats.
  public let freedom: Double
  /// The chance that the means of one quantity lie apart as far, to either side.
  public let chance: Double

  /// Compares two sides; `nil` where nothing tells how either scatters.
  ///
  /// Repeats on both sides: Welch's test, whose variance is the sum of s^2 / n, with the degrees of freedom of
  /// Welch and Satterthwaite, but no more than (n - 1)(1 + n / N), n of N values being on the side of fewer.
  /// Where both have as many that is their own limit; without it few values that happen to lie close would make
  /// their side look sure: of pairs of 2 and 9 values 39 % would be told at a rate of 5 %.
  ///
  /// A single value beside repeats of the other side scatters as they do: s^2 (1 + 1 / n) with n - 1 degrees of
  /// freedom. Two single values have what they state of themselves. What differs of both sides and is the same
  /// in all repeats of one, `systematic`, is added with infinite degrees of freedom. `statesAll` says whether two
  /// single values state all that moves them; else they say nothing.
  public init?(
    from first: RepeatedValue, to second: RepeatedValue, systematic: Double = 0,
    statesAll: Bool = true
  ) {
    guard let parts = Self.parts(first, second, statesAll: statesAll) else {
      // Nothing has to be known of what is the same to the last digit.
      guard first.mean == second.mean else { return nil }
      self.init(value: 0, uncertainty: 0, freedom: .infinity)
      return
    }
    let variance = parts.reduce(systematic * systematic) { $0 + $1.variance }
    let random = parts.reduce(0) { $0 + $1.variance }
    let spread = parts.reduce(0) { $0 + $1.variance * $1.variance / $1.freedom }
    let freedom = min(
      spread > 0 ? random * random / spread : .infinity, Self.mostFreedom(first, second))
    // What does not scatter adds to the variance and not to its spread.
    let share = random > 0 ? variance / random : 1
    self.init(
      value: second.mean - first.mean, uncertainty: variance.squareRoot(),
      freedom: freedom * share * share)
  }

  private static func mostFreedom(_ first: RepeatedValue, _ second: RepeatedValue) -> Double {
    let (few, many) = (min(first.count, second.count), max(first.count, second.count))
    guard few > 1 else { return .infinity }
    return Double(few - 1) * (1 + Double(few) / Double(many))
  }

  /// A difference that is known but for nothing: any at all is no chance.
  public static func exact(from first: RepeatedValue, to second: RepeatedValue) -> MeanDifference {
    MeanDifference(value: second.mean - first.mean, uncertainty: 0, freedom: .infinity)
  }

  private init(value: Double, uncertainty: Double, freedom: Double) {
    self.value = value
    self.uncertainty = uncertainty
    self.freedom = freedom
    chance =
      value == 0
      ? 1 : StudentDistribution.tails(beyond: value / uncertainty, freedom: freedom)
  }

  private typealias Part = (variance: Double, freedom: Double)

  private static func parts(
    _ first: RepeatedValue, _ second: RepeatedValue, statesAll: Bool
  ) -> [Part]? {
    func repeated(_ side: RepeatedValue, _ variance: Double) -> Part {
      (variance / Double(side.count), Double(side.count - 1))
    }
    func beside(_ variance: Double, _ count: Int) -> Part {
      (variance * (1 + 1 / Double(count)), Double(count - 1))
    }
    switch (first.shownVariance, second.shownVariance) {
    case (let one?, let other?): return [repeated(first, one), repeated(second, other)]
    case (let one?, nil): return [beside(one, first.count)]
    case (nil, let other?): return [beside(other, second.count)]
    case (nil, nil):
      guard statesAll, let one = first.statedVariance, let other = second.statedVariance else {
        return nil
      }
      return [(one, .infinity), (other, .infinity)]
    }
  }
}
