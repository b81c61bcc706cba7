// SPDX-License-Identifier: Apache-2.0

/// One step of y' = A y + B g(t), exact for the linear part whatever its stiffness.
///
/// g is the polynomial through its values at given times, its nodes: y(h) = exp(A h) y(0) + the sum of
/// P g over the nodes. The integrals of exp(A (h - s)) (s/h)^k are read off the exponential of a matrix
/// that carries 1, s/h, (s/h)^2 and so on as states of their own (Van Loan, IEEE Trans. Automatic
/// Control 23, 1978).
struct ExponentialStep {
  /// What drives the system: a column of B, and the times of the values that are known of it.
  struct Input {
    /// The column, as long as the system's order.
    let column: [Double]
    /// The times in steps: 0 where the step begins, 1 where it ends.
    let nodes: [Double]
  }

  /// exp(A h) by columns: `transition[column][row]`.
  let transition: [[Double]]
  /// P by input and node: `weights[input][node][row]`.
  let weights: [[[Double]]]

  /// Solves a step of `length` seconds; `matrix` by rows.
  init(matrix: [[Double]], inputs: [Input], length: Double) {
    let order = matrix.count
    let solved =
      SquareMatrix(order: order, elements: matrix.flatMap { $0.map { $0 * length } }).exponential
    transition = (0..<order).map { column in (0..<order).map { solved[$0, column] } }
    weights = inputs.map { input in
      let moments = input.nodes.indices.map { power in
        Self.moment(power, of: input.column, matrix: matrix, length: length)
      }
      return input.nodes.indices.map { node in
        let polynomial = Self.basis(node, of: input.nodes)
        return (0..<order).map { row in
          zip(polynomial, moments).reduce(0) { $0 + $1.0 * $1.1[row] }
        }
      }
    }
  }

  /// The coefficients of Lagrange's polynomial that is 1 at one node and 0 at the others.
  private static func basis(_ node: Int, of nodes: [Double]) -> [Double] {
    var polynomial = [1.0]
    for (place, other) in nodes.enumerated() where place != node {
      let scale = 1 / (nodes[node] - other)
      let raised = [0] + polynomial
      polynomial = zip(raised, polynomial + [0]).map { ($0 - other * $1) * scale }
    }
    return polynomial
  }

  /// The integral over the step of exp(A (h - s)) b (s/h)^power ds.
  private static func moment(
    _ power: Int, of column: [Double], matrix: [[Double]], length: Double
  ) -> [Double] {
    let order = column.count
    var wide = SquareMatrix(order: order + power + 1)
    for row in 0..<order {
      for other in 0..<order { wide[row, other] = matrix[row][other] * length }
      wide[row, order + power] = column[row] * length
    }
    for state in 0..<power { wide[order + state + 1, order + state] = Double(state + 1) }
    let solved = wide.exponential
    return (0..<order).map { solved[$0, order] }
  }
}

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
  ///
  /// The states are measured in units that make the matrix small first.
  var exponential: SquareMatrix {
    let units = balance
    var balanced = self
    for row in 0..<order {
      for column in 0..<order { balanced[row, column] *= units[column] / units[row] }
    }
    var result = balanced.squaredSeries
    for row in 0..<order {
      for column in 0..<order { result[row, column] *= units[row] / units[column] }
    }
    return result
  }

  /// Units of the states, powers of two, in which rows and columns are about as large.
  ///
  /// Osborne's iteration (J. ACM 7, 1960).
  private var balance: [Double] {
    var units = [Double](repeating: 1, count: order)
    for _ in 0..<40 {
      for state in 0..<order {
        var (row, column) = (0.0, 0.0)
        for other in 0..<order where other != state {
          row += abs(self[state, other]) * units[other] / units[state]
          column += abs(self[other, state]) * units[state] / units[other]
        }
        guard row > 0, column > 0 else { continue }
        let ratio = (row / column).squareRoot()
        if ratio >= 2 || ratio <= 0.5 {
          units[state] *= Double(sign: .plus, exponent: ratio.exponent, significand: 1)
        }
      }
    }
    return units
  }

  private var squaredSeries: SquareMatrix {
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
