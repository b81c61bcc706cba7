private import Glibc

/// A series with what a test of steps in correlated noise needs, summed up beforehand.
///
/// Where nights between two are left out, the later is seen less phi to the power of the nights from one to
/// the other, and scatters more.
struct WhitenedSeries {
  let values: [Double]
  let correlation: Double
  /// Each night's correlation with the one before it here: phi, or less across nights left out.
  private let ratios: [Double]
  /// The variance of an innovation over that of what a night adds to what the one before tells of it.
  private let weights: [Double]
  /// Up to and with each night, the sums of w (1 - r)^2 and of w (1 - r) (y_t - r y_(t-1)).
  private let powers: [Double]
  private let products: [Double]

  /// Sums up `values` of the nights with these numbers, ascending.
  init(_ values: [Double], nights: [Int], correlation: Double) {
    self.values = values
    self.correlation = correlation
    var ratios = [Double](repeating: correlation, count: values.count)
    var weights = [Double](repeating: 1, count: values.count)
    var powers = [Double](repeating: 0, count: values.count)
    var products = powers
    for t in values.indices.dropFirst() {
      let (ratio, weight) = Self.link(across: nights[t] - nights[t - 1], correlation)
      ratios[t] = ratio
      weights[t] = weight
      powers[t] = powers[t - 1] + weight * (1 - ratio) * (1 - ratio)
      products[t] =
        products[t - 1] + weight * (1 - ratio) * (values[t] - ratio * values[t - 1])
    }
    self.ratios = ratios
    self.weights = weights
    self.powers = powers
    self.products = products
  }

  /// The correlation of two nights this far apart, and the weight of what the later adds.
  static func link(across nights: Int, _ correlation: Double) -> (ratio: Double, weight: Double) {
    guard nights > 1 else { return (correlation, 1) }
    let ratio = pow(correlation, Double(nights))
    return (ratio, (1 - correlation * correlation) / (1 - ratio * ratio))
  }

  /// What a night is above its level less what the night before, so far above its own, tells of it; the
  /// deviation of good nights is that of an innovation.
  func innovation(at night: Int, level: Double) -> Double {
    weights[night].squareRoot()
      * (values[night] - level - ratios[night] * (values[night - 1] - level))
  }

  /// Two levels and the step between them, variances where an innovation's is 1.
  struct Step {
    var before: Double
    var after: Double
    /// Of the step, both levels being fitted.
    var variance: Double
    /// Of each level by its own nights.
    var varianceBefore: Double
    var varianceAfter: Double

    var size: Double { after - before }
  }

  /// The levels left and right of a split.
  ///
  /// Generalized least squares of two levels in first-order autoregressive noise: the first value
  /// has the weight 1 - phi^2; each later one is seen less r times its predecessor, so that it
  /// shows (1 - r) mu, and the first night after the split mu_R - r mu_L. Two normal equations.
  /// Constant time.
  func step(at split: Int, in range: Range<Int>) -> Step {
    let first = 1 - correlation * correlation
    let (ratio, weight) = (ratios[split], weights[split])
    let edge = values[split] - ratio * values[split - 1]
    let ownLeft = first + powers[split - 1] - powers[range.lowerBound]
    let ownRight = powers[range.upperBound - 1] - powers[split]
    let leftWeight = ownLeft + weight * ratio * ratio
    let rightWeight = ownRight + weight
    let common = weight * ratio
    let left =
      first * values[range.lowerBound] + products[split - 1] - products[range.lowerBound]
      - common * edge
    let right = weight * edge + products[range.upperBound - 1] - products[split]
    let determinant = leftWeight * rightWeight - common * common
    return Step(
      before: (rightWeight * left + common * right) / determinant,
      after: (leftWeight * right + common * left) / determinant,
      variance: (leftWeight + rightWeight - 2 * common) / determinant,
      varianceBefore: 1 / ownLeft, varianceAfter: 1 / (first + ownRight))
  }

  /// A step over its deviation where no night may add more than a bound: the shorter side, night by night,
  /// against the level of the longer, `deviation` being that of an innovation.
  ///
  /// The noise looks the same backwards, so the shorter side may as well be the one before. One night
  /// that leaps, and those after it that follow because neighbours are alike, are no step by themselves.
  func boundedScore(
    of step: Step, at split: Int, in range: Range<Int>, bound: Double, deviation: Double
  ) -> Double {
    let isAfter = range.upperBound - split <= split - range.lowerBound
    let level = isAfter ? step.before : step.after
    let count = isAfter ? range.upperBound - split : split - range.lowerBound
    var sum = 0.0
    var power = 0.0
    for place in 0..<count {
      let link = isAfter ? split + place : split - place
      let night = isAfter ? link : link - 1
      let neighbour = isAfter ? link - 1 : link
      let root = weights[link].squareRoot()
      let innovation = root * (values[night] - level - ratios[link] * (values[neighbour] - level))
      let share = place == 0 ? root : root * (1 - ratios[link])
      sum += share * min(max(innovation, -bound), bound)
      power += share * share
    }
    let variance = 1 / power + (isAfter ? step.varianceBefore : step.varianceAfter)
    return sum / power / (deviation * variance.squareRoot())
  }

  /// What a step at a split explains beyond a straight line, in squares where an innovation's
  /// variance is 1; and whether the line alone leaves less over than the step alone does.
  func stepBesideLine(at split: Int, in range: Range<Int>) -> (gain: Double, lineIsBetter: Bool) {
    let weight = (1 - correlation * correlation).squareRoot()
    // Columns: level, line, step, values; whitened, then made orthogonal one after the other.
    var products = [Double](repeating: 0, count: 16)
    var last = [0.0, 0.0, 0.0, 0.0]
    let middle = Double(range.lowerBound + range.upperBound - 1) / 2
    for night in range {
      let row = [1, Double(night) - middle, night < split ? 0 : 1, values[night]]
      let isFirst = night == range.lowerBound
      var white = row
      let root = weights[night].squareRoot()
      for column in 0..<4 {
        white[column] =
          isFirst ? weight * row[column] : root * (row[column] - ratios[night] * last[column])
      }
      for i in 0..<4 { for j in i..<4 { products[4 * i + j] += white[i] * white[j] } }
      last = row
    }
    func left(_ i: Int, _ j: Int, without basis: [Int]) -> Double {
      guard let last = basis.last else { return products[4 * min(i, j) + max(i, j)] }
      let rest = Array(basis.dropLast())
      let power = left(last, last, without: rest)
      guard power > 0 else { return left(i, j, without: rest) }
      return left(i, j, without: rest)
        - left(i, last, without: rest) * left(j, last, without: rest) / power
    }
    func gain(_ column: Int, beside basis: [Int]) -> Double {
      let power = left(column, column, without: basis)
      guard power > 0 else { return 0 }
      let common = left(column, 3, without: basis)
      return common * common / power
    }
    return (gain(2, beside: [0, 1]), gain(1, beside: [0]) > gain(2, beside: [0]))
  }
}

/// How a series scatters from night to night: the noise of a night is phi times that of the night
/// before, and an innovation of its own.
struct NoiseModel: Sendable, Hashable {
  var correlation: Double
  var innovation: Double
  /// How many nights the deviation rests on, less what was fitted.
  var freedom: Double

  /// What is taken for known before a series has shown its correlation: 0.5, as by forty nights.
  private static let prior = (correlation: 0.5, nights: 40.0)
  private static let highest = 0.9

  /// A first guess that needs no levels: correlation 0.5, and the scatter of neighbours' differences.
  static func cautious(_ values: [Double], quantum: Double) -> NoiseModel {
    let phi = prior.correlation
    let differences = values.indices.dropFirst().map { values[$0] - values[$0 - 1] }
    let deviation = Robust.scale(differences) / (2 * (1 - phi)).squareRoot()
    return NoiseModel(
      correlation: phi,
      innovation: max(deviation, 0.5 * quantum) * (1 - phi * phi).squareRoot(),
      freedom: max(Double(values.count) - 2, 1))
  }

  /// The noise that the levels of segments leave over.
  ///
  /// The lag-one correlation of residuals clipped at 2.5 deviations, with what k fitted levels take
  /// from it given back, (1 + 4 phi) k / n (Marriott and Pope, "Bias in the estimation of
  /// autocorrelations", 1954), drawn towards the prior, 0 to 0.9. The innovation is Huber's scale,
  /// at least half of the smallest step of the values.
  ///
  /// `nights` are the numbers of the values' nights, ascending, of which only next ones are neighbours,
  /// `segments` the stretches of one level, `quantum` is the smallest step of the values.
  static func fitted(
    _ values: [Double], nights: [Int], segments: [Range<Int>], quantum: Double
  ) -> NoiseModel {
    var residuals = [Double](repeating: 0, count: values.count)
    for segment in segments {
      let level = values[segment].reduce(0, +) / Double(segment.count)
      for index in segment { residuals[index] = values[index] - level }
    }
    let bound = 2.5 * Robust.scale(residuals)
    var product = 0.0
    var power = 0.0
    var last = 0.0
    var pairs = 0
    for index in residuals.indices {
      let clipped = min(max(residuals[index], -bound), bound)
      power += clipped * clipped
      if index > 0, nights[index] - nights[index - 1] == 1 {
        product += clipped * last
        pairs += 1
      }
      last = clipped
    }
    let count = Double(values.count)
    let raw = power > 0 && pairs > 0 ? product / Double(pairs) / power * (count - 1) : 0
    let unbiased = raw + (1 + 4 * raw) * Double(segments.count) / count
    let phi =
      (count * unbiased + prior.nights * prior.correlation) / (count + prior.nights)
    let correlation = min(max(phi, 0), highest)
    var innovations: [Double] = []
    innovations.reserveCapacity(values.count)
    for segment in segments {
      for index in segment.dropFirst() {
        let (ratio, weight) = WhitenedSeries.link(
          across: nights[index] - nights[index - 1], correlation)
        innovations.append(weight.squareRoot() * (residuals[index] - ratio * residuals[index - 1]))
      }
    }
    let freedom = max(Double(innovations.count - segments.count), 1)
    let scale = Robust.scale(innovations) * (Double(innovations.count) / freedom).squareRoot()
    return NoiseModel(
      correlation: correlation, innovation: max(scale, 0.5 * quantum), freedom: freedom)
  }
}
