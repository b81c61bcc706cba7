/// The inverse of a small symmetric positive definite matrix, by Cholesky.
struct SymmetricInverse {
  private let size: Int
  private let values: [Double]

  /// Inverts a matrix given by its elements; a pivot that is not above zero counts as infinite.
  init(size: Int, element: (Int, Int) -> Double) {
    self.size = size
    var lower = [Double](repeating: 0, count: size * size)
    for row in 0..<size {
      for column in 0...row {
        var sum = element(row, column)
        for k in 0..<column { sum -= lower[row * size + k] * lower[column * size + k] }
        if row == column {
          lower[row * size + row] = sum > 0 ? sum.squareRoot() : .infinity
        } else {
          lower[row * size + column] = sum / lower[column * size + column]
        }
      }
    }
    var inverse = [Double](repeating: 0, count: size * size)
    for unit in 0..<size {
      var solution = [Double](repeating: 0, count: size)
      for row in 0..<size {
        var sum = row == unit ? 1.0 : 0
        for k in 0..<row { sum -= lower[row * size + k] * solution[k] }
        solution[row] = sum / lower[row * size + row]
      }
      for row in (0..<size).reversed() {
        var sum = solution[row]
        for k in (row + 1)..<max(size, row + 1) { sum -= lower[k * size + row] * solution[k] }
        solution[row] = sum / lower[row * size + row]
      }
      for row in 0..<size { inverse[row * size + unit] = solution[row] }
    }
    values = inverse
  }

  /// The inverse of another with its elements changed by a function of row, column and element.
  init(_ other: SymmetricInverse, element: (Int, Int, Double) -> Double) {
    size = other.size
    values = other.values.indices.map {
      element($0 / other.size, $0 % other.size, other.values[$0])
    }
  }

  subscript(_ row: Int, _ column: Int) -> Double { values[row * size + column] }

  /// The inverse times a vector: the solution of the equations.
  func times(_ vector: [Double]) -> [Double] {
    (0..<size).map { row in
      vector.indices.reduce(0) { $0 + values[row * size + $1] * vector[$1] }
    }
  }
}
