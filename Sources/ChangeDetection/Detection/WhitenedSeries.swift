/// A series with what a test of steps in correlated noise needs, summed up beforehand.
struct WhitenedSeries {
  let values: [Double]
  let correlation: Double
  /// The sum of e up to and with each night, e_t = y_t - phi y_(t-1), e_0 = 0.
  private let sums: [Double]

  init(_ values: [Double], correlation: Double) {
    self.values = values
    self.correlation = correlation
    var sums = [Double](repeating: 0, count: values.count)
    for t in values.indices.dropFirst() {
      sums[t] = sums[t - 1] + values[t] - correlation * values[t - 1]
    }
    self.sums = sums
  }

  /// The step between the levels left and right of a split, and its variance where an innovation's
  /// is 1.
  ///
  /// Generalized least squares of two levels in first-order autoregressive noise: the first value
  /// has the weight 1 - phi^2; each later one is seen less phi times its predecessor, so that it
  /// shows (1 - phi) mu, and the first night after the split mu_R - phi mu_L. Two normal equations.
  /// Constant time.
  func step(at split: Int, in range: Range<Int>) -> (size: Double, variance: Double) {
    let phi = correlation
    let keep = 1 - phi
    let first = 1 - phi * phi
    let edge = values[split] - phi * values[split - 1]
    let leftSum = sums[split - 1] - sums[range.lowerBound]
    let rightSum = sums[range.upperBound - 1] - sums[split]
    let leftWeight =
      first + Double(split - range.lowerBound - 1) * keep * keep + phi * phi
    let rightWeight = 1 + Double(range.upperBound - split - 1) * keep * keep
    let left = first * values[range.lowerBound] + keep * leftSum - phi * edge
    let right = edge + keep * rightSum
    let determinant = leftWeight * rightWeight - phi * phi
    let leftLevel = (rightWeight * left + phi * right) / determinant
    let rightLevel = (leftWeight * right + phi * left) / determinant
    return (rightLevel - leftLevel, (leftWeight + rightWeight - 2 * phi) / determinant)
  }

  /// What a step at a split explains beyond a straight line, in squares where an innovation's
  /// variance is 1; and whether the line alone leaves less over than the step alone does.
  func stepBesideLine(at split: Int, in range: Range<Int>) -> (gain: Double, lineIsBetter: Bool) {
    let phi = correlation
    let weight = (1 - phi * phi).squareRoot()
    // Columns: level, line, step, values; whitened, then made orthogonal one after the other.
    var products = [Double](repeating: 0, count: 16)
    var last = [0.0, 0.0, 0.0, 0.0]
    let middle = Double(range.lowerBound + range.upperBound - 1) / 2
    for night in range {
      let row = [1, Double(night) - middle, night < split ? 0 : 1, values[night]]
      let isFirst = night == range.lowerBound
      var white = row
      for column in 0..<4 {
        white[column] = isFirst ? weight * row[column] : row[column] - phi * last[column]
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
