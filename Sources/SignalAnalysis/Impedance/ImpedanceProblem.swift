private import Glibc

/// The fit of an impedance as least squares over R, L in mH, Zm, ln f0 and ln Qm.
struct ImpedanceProblem {
  private let angular: [Double]
  private let weights: [Double]
  private let response: [Complex]

  init(_ measured: TransferFunction) {
    angular = measured.frequencies.map { 2 * .pi * $0 }
    weights = measured.uncertainty.map { 1 / max($0, 1e-300) }
    response = measured.response
  }

  /// Parameters worth trying, the best first: the grid with R, L and Zm solved for.
  var starts: [[Double]] {
    let (low, high) = (angular[0], angular[angular.count - 1])
    let steps = max(4, Int(12 * log2(high / low)))
    var found: [(parameters: [Double], explained: Double)] = []
    for step in 1..<steps {
      let place = low * pow(high / low, Double(step) / Double(steps))
      for q in [3.0, 8, 20] {
        var products = [Double](repeating: 0, count: 9)
        var right = [0.0, 0, 0]
        for index in angular.indices {
          let branch = Self.branch(angular[index] / place, q)
          let columns = [Complex(1), Complex(0, 1e-3 * angular[index]), branch]
          let weight = weights[index] * weights[index]
          for row in 0..<3 {
            right[row] += weight * (columns[row].conjugate * response[index]).real
            for column in 0...row {
              let product = weight * (columns[row].conjugate * columns[column]).real
              products[3 * row + column] += product
            }
          }
        }
        let solution = SymmetricInverse(size: 3) {
          products[3 * max($0, $1) + min($0, $1)]
        }.times(right)
        guard solution[2] > 0 else { continue }
        let explained = zip(solution, right).reduce(0) { $0 + $1.0 * $1.1 }
        found.append((solution + [log(place / (2 * .pi)), log(q)], explained))
      }
    }
    return found.sorted { $0.explained > $1.explained }.map(\.parameters)
  }

  /// The rms of what is left over, over that of the impedance, unweighted.
  func misfit(_ parameters: [Double], _ measured: TransferFunction) -> Double {
    var (rest, total) = (0.0, 0.0)
    for index in angular.indices {
      rest += (response[index] - Self.impedance(parameters, angular[index])).power
      total += response[index].power
    }
    return total > 0 ? (rest / total).squareRoot() : .infinity
  }

  /// Residuals and derivatives, with D = w0^2 + s w0/Qm + s^2 over w0^2 and B the branch of height 1.
  ///
  /// With r = w / w0: dB/dln w0 = -dB/dln r, dB/dln r = B (1 - (2 (j r)^2 + j r/Qm) / D), and
  /// dB/dln Qm = B (j r/Qm / D - 1).
  var leastSquares: LevenbergMarquardt {
    let count = angular.count
    let rows = 2 * count
    return LevenbergMarquardt(residualCount: rows) { request in
      switch request {
      case .residuals(let p, let target):
        let parameters = (0..<5).map { p[$0] }
        for index in 0..<count {
          let rest = response[index] - Self.impedance(parameters, angular[index])
          target[2 * index] = weights[index] * rest.real
          target[2 * index + 1] = weights[index] * rest.imaginary
        }
      case .jacobian(let p, let target):
        let q = exp(p[4])
        for index in 0..<count {
          let ratio = angular[index] / (2 * .pi * exp(p[3]))
          let damping = Complex(0, ratio / q)
          let divisor = Complex(1 - ratio * ratio, ratio / q)
          let branch = damping / divisor
          let own = p[2] * branch
          let slope = Complex(1) - (Complex(-2 * ratio * ratio) + damping) / divisor
          let columns = [
            Complex(1), Complex(0, 1e-3 * angular[index]), branch, -1 * (own * slope),
            own * (damping / divisor - Complex(1)),
          ]
          for (column, value) in columns.enumerated() {
            target[column * rows + 2 * index] = -weights[index] * value.real
            target[column * rows + 2 * index + 1] = -weights[index] * value.imaginary
          }
        }
      }
    }
  }

  private static func branch(_ ratio: Double, _ q: Double) -> Complex {
    Complex(0, ratio / q) / Complex(1 - ratio * ratio, ratio / q)
  }

  private static func impedance(_ p: [Double], _ angular: Double) -> Complex {
    Complex(p[0], 1e-3 * p[1] * angular)
      + p[2] * branch(angular / (2 * .pi * exp(p[3])), exp(p[4]))
  }
}
