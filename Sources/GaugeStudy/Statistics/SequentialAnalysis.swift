// SPDX-License-Identifier: Apache-2.0

/// One way to sort the values of a study: by actuator, by rig, ...
struct Grouping: Sendable, Equatable {
  /// The level of each group of values, counted from 0 in the order in which levels come first.
  let levels: [Int]
  let count: Int

  init<Label: Hashable>(_ labels: [Label]) {
    var numbers: [Label: Int] = [:]
    levels = labels.map { label in
      let number = numbers[label] ?? numbers.count
      numbers[label] = number
      return number
    }
    count = numbers.count
  }
}

/// Values that were taken without touching anything between them.
struct ValueGroup: Sendable {
  let count: Int
  let mean: Double
  /// The sum of squares about the mean.
  let squares: Double

  init(_ values: [Double]) {
    count = values.count
    let mean = values.reduce(0, +) / Double(values.count)
    self.mean = mean
    squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }
}

/// Analysis of variance of random effects by sums of squares that are taken off one after the
/// other.
///
/// Term k gets what it explains beyond the terms before it: SS(k) = |Q(k) y|^2, where Q(k) projects
/// on what its levels span and those before do not. With Z(j) the matrix of the levels of term j,
///
///     E[MS(k)] = error + sum over j of  variance(j) * tr(Z(j)' Q(k) Z(j)) / df(k),
///
/// in which no term before k stands. The coefficients come from the design as it was done, so that
/// missing values need no other method. Of a balanced design the order is of no matter, and
/// everything is the textbook's analysis. Source: Searle, Casella and McCulloch, "Variance
/// Components", 1992, chapters 4 and 5 (Henderson's method of fitting constants).
struct SequentialAnalysis: Sendable {
  struct Row: Sendable {
    let freedom: Int
    let squares: Double
    /// The share that the variance of each term has in the expected mean square; of the error 1.
    let expected: [Double]

    var meanSquare: Double { squares / Double(freedom) }
  }

  /// A row for each term.
  ///
  /// One that adds nothing to those before has no degree of freedom, and no component.
  let rows: [Row]
  let error: Row

  init(_ groups: [ValueGroup], by terms: [Grouping]) {
    let roots = groups.map { Double($0.count).squareRoot() }
    let count = groups.reduce(0) { $0 + $1.count }
    let middle = groups.reduce(0) { $0 + Double($1.count) * $1.mean } / Double(count)
    let values = zip(groups, roots).map { ($0.mean - middle) * $1 }
    // One group has the place of its values' common direction: the root of their count long.
    var basis = [roots.map { $0 / Double(count).squareRoot() }]
    var explained = 0.0
    var rows: [Row] = []
    for term in terms {
      let first = basis.count
      for level in 0..<term.count {
        let column = zip(term.levels, roots).map { $0 == level ? $1 : 0 }
        if let new = Self.rest(of: column, beyond: basis) { basis.append(new) }
      }
      let new = basis[first...]
      let squares = new.reduce(0) { sum, direction in
        let part = Self.product(direction, values)
        return sum + part * part
      }
      explained += squares
      rows.append(
        Row(
          freedom: new.count, squares: squares,
          expected: terms.map { Self.trace(of: $0, in: new, roots) / Double(max(1, new.count)) }))
    }
    self.rows = rows
    let within = groups.reduce(0) { $0 + $1.squares }
    let between = values.reduce(0) { $0 + $1 * $1 }
    let freedom = count - basis.count
    // What all groups' means are fitted by exactly leaves rounding errors, and no square.
    let rest = basis.count < groups.count ? max(0, between - explained) : 0
    error = Row(
      freedom: freedom, squares: within + rest, expected: terms.map { _ in 0 })
  }

  /// The part of a vector that is at right angles to all others, of length 1; `nil` where there is
  /// none.
  private static func rest(of column: [Double], beyond basis: [[Double]]) -> [Double]? {
    var rest = column
    // Twice is enough: Kahan, in Parlett, "The Symmetric Eigenvalue Problem", 6.9.
    for _ in 0..<2 {
      for direction in basis {
        let part = product(direction, rest)
        for index in rest.indices { rest[index] -= part * direction[index] }
      }
    }
    let length = product(rest, rest).squareRoot()
    guard length > 1e-7 * product(column, column).squareRoot() else { return nil }
    return rest.map { $0 / length }
  }

  private static func product(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for index in first.indices { sum += first[index] * second[index] }
    return sum
  }

  private static func trace(
    of term: Grouping, in directions: ArraySlice<[Double]>, _ roots: [Double]
  ) -> Double {
    directions.reduce(0) { sum, direction in
      var parts = [Double](repeating: 0, count: term.count)
      for (index, level) in term.levels.enumerated() {
        parts[level] += direction[index] * roots[index]
      }
      return sum + product(parts, parts)
    }
  }
}

extension SequentialAnalysis {
  /// The variances of the terms, the error's last, of mean squares in the same order: negative ones
  /// as they come.
  ///
  /// A term without a degree of freedom has none, and stands in none.
  func components(of meanSquares: [Double]) -> [Double] {
    var variances = [Double](repeating: 0, count: rows.count + 1)
    let error = meanSquares[rows.count]
    variances[rows.count] = error
    for (term, row) in rows.enumerated().reversed() where row.freedom > 0 {
      var rest = meanSquares[term] - error
      for later in (term + 1)..<max(term + 1, rows.count) {
        rest -= row.expected[later] * variances[later]
      }
      variances[term] = rest / row.expected[term]
    }
    return variances
  }

  var meanSquares: [Double] {
    (rows + [error]).map { $0.freedom > 0 ? $0.meanSquare : 0 }
  }

  struct Test: Sendable, Equatable {
    let ratio: Double
    /// Degrees of freedom below the line, by Satterthwaite where several mean squares stand there.
    let freedom: Double
    let probability: Double
  }

  /// The denominator of a term's F, `nil` where it comes to nothing or less.
  ///
  /// Mean squares of later rows that have together what is expected of the term's own without its
  /// variance.
  func denominator(of term: Int) -> (value: Double, freedom: Double)? {
    guard rows[term].freedom > 0 else { return nil }
    var weights = [Double](repeating: 0, count: rows.count)
    for later in (term + 1)..<max(term + 1, rows.count) where rows[later].freedom > 0 {
      var rest = rows[term].expected[later]
      for before in (term + 1)..<later { rest -= weights[before] * rows[before].expected[later] }
      weights[later] = rest / rows[later].expected[later]
    }
    // Sums of quotients of whole numbers: what is smaller is their rounding.
    let parts = zip(rows + [error], weights + [1 - weights.reduce(0, +)])
      .filter { abs($1) > 1e-9 }
      .map { row, weight in (square: weight * row.meanSquare, freedom: row.freedom) }
    let value = parts.reduce(0) { $0 + $1.square }
    guard value > 0 else { return nil }
    let spread = parts.reduce(0) { $0 + $1.square * $1.square / Double($1.freedom) }
    return (value, value * value / spread)
  }
}
