/// One step of y' = A y + B g(t), exact for the linear part whatever its stiffness.
///
/// g is the parabola through its values one step ago, now, and one step ahead:
/// y(h) = E y + P- g(-h) + P0 g(0) + P+ g(h), E = exp(A h). The integrals of exp(A (h - s)) (s/h)^k
/// are read off the exponential of a matrix that carries 1, s/h and (s/h)^2 as states of their own
/// (Van Loan, IEEE Trans. Automatic Control 23, 1978).
struct ExponentialStep {
  /// The order of the system.
  let order: Int
  /// exp(A h), `order` x `order`, by rows.
  let transition: [Double]
  /// P-, P0 and P+ by input: `weights[input].previous[row]`.
  let weights: [(previous: [Double], current: [Double], next: [Double])]

  /// Solves a step of `length` seconds; `matrix` by rows, each of `inputs` one column of B.
  init(matrix: [Double], inputs: [[Double]], length: Double) {
    let order = inputs[0].count
    self.order = order
    transition =
      SquareMatrix(order: order, elements: matrix.map { $0 * length }).exponential
      .elements
    weights = inputs.map { column in
      let moments = (0..<3).map { power in
        Self.moment(power, of: column, matrix: matrix, length: length)
      }
      func blend(_ a: Double, _ b: Double, _ c: Double) -> [Double] {
        (0..<order).map { a * moments[0][$0] + b * moments[1][$0] + c * moments[2][$0] }
      }
      return (blend(0, -0.5, 0.5), blend(1, 0, -1), blend(0, 0.5, 0.5))
    }
  }

  /// The integral over the step of exp(A (h - s)) b (s/h)^power ds.
  private static func moment(
    _ power: Int, of column: [Double], matrix: [Double], length: Double
  ) -> [Double] {
    let order = column.count
    var wide = SquareMatrix(order: order + 3)
    for row in 0..<order {
      for other in 0..<order { wide[row, other] = matrix[row * order + other] * length }
      wide[row, order + power] = column[row] * length
    }
    wide[order + 1, order] = 1
    wide[order + 2, order + 1] = 2
    let solved = wide.exponential
    return (0..<order).map { solved[$0, order] }
  }
}

/// A small dense matrix, by rows.
private struct SquareMatrix {
  let order: Int
  var elements: [Double]

  init(order: Int) {
    self.init(order: order, elements: Array(repeating: 0, count: order * order))
  }

  init(order: Int, elements: [Double]) {
    self.order = order
    self.elements = elements
  }

  subscript(row: Int, column: Int) -> Double {
    get { elements[row * order + column] }
    set { elements[row * order + column] = newValue }
  }

  /// The matrix exponential: Taylor series of a scaled matrix, then squared back.
  var exponential: SquareMatrix {
    var halvings = 0
    var scale = 1.0
    let norm = (0..<order).map { row in (0..<order).reduce(0) { $0 + abs(self[row, $1]) } }.max()
    while (norm ?? 0) * scale > 0.25 {
      scale /= 2
      halvings += 1
    }
    let small = SquareMatrix(order: order, elements: elements.map { $0 * scale })
    var result = SquareMatrix(order: order)
    for index in 0..<order { result[index, index] = 1 }
    var term = result
    for power in 1...14 {
      term = term.times(small)
      term.elements = term.elements.map { $0 / Double(power) }
      for place in elements.indices { result.elements[place] += term.elements[place] }
    }
    for _ in 0..<halvings { result = result.times(result) }
    return result
  }

  func times(_ other: SquareMatrix) -> SquareMatrix {
    var product = SquareMatrix(order: order)
    for row in 0..<order {
      for column in 0..<order {
        var sum = 0.0
        for inner in 0..<order { sum += self[row, inner] * other[inner, column] }
        product[row, column] = sum
      }
    }
    return product
  }
}
