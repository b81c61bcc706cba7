// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The electrical impedance of a moving-coil or resonant actuator.
///
/// Z(f) = R + s L + Zm (s w0/Qm) / (s^2 + s w0/Qm + w0^2), s = j 2 pi f: coil, and in series with it what the
/// motion gives back. Zm = Bl^2 / c is the height of the motional peak at f0.
public struct ImpedanceModel: Sendable, Equatable {
  /// The resistance R of the coil in ohms.
  public let resistance: Estimate
  /// The inductance L of the coil in henries.
  public let inductance: Estimate
  /// The frequency of mechanical resonance f0 in hertz.
  public let frequency: Estimate
  /// The mechanical quality factor Qm, the terminals open.
  public let q: Estimate
  /// The height Zm of the motional peak in ohms.
  public let motional: Estimate
  /// What the model leaves over, rms, over the impedance.
  public let misfit: Double
}

/// Fits coil and motional branch to a measured impedance.
///
/// Minimises the sum of |Z measured - Z model|^2 / u^2. For every f0 and Qm of a grid the best R, L and Zm
/// solve linear equations; the best few go down by Levenberg and Marquardt. Deterministic.
public struct ImpedanceFit: Sendable {
  /// The relative rms from which a fit counts as none.
  private static let maximumMisfit = 0.1

  /// Makes a fit.
  public init() {}

  /// Fits the model to voltage over current, in ohms.
  ///
  /// The response to a sweep with the current as input and the voltage as output is one; from a source
  /// of voltage the other way round and inverted is less exact where the current is small. Gives nil for
  /// fewer than 12 frequencies, numbers that are not finite, and where the model leaves more over
  /// than a tenth of the impedance or the motional peak is not 5 times its uncertainty: a
  /// coil that does not move.
  public func fit(_ measured: TransferFunction) -> ImpedanceModel? {
    guard measured.frequencies.count >= 12,
      measured.response.allSatisfy({ $0.power.isFinite })
    else { return nil }
    let problem = ImpedanceProblem(measured)
    let found = problem.starts.prefix(4).compactMap {
      problem.leastSquares.minimum(from: $0, tolerance: 1e-10)
    }
    guard let best = found.min(by: { $0.sumOfSquares < $1.sumOfSquares }) else { return nil }
    return model(best, problem, measured)
  }

  private func model(
    _ best: LevenbergMarquardt.Minimum, _ problem: ImpedanceProblem, _ measured: TransferFunction
  ) -> ImpedanceModel? {
    let p = best.parameters
    let freedom = Double(2 * measured.frequencies.count - 5)
    let growth = max(1, best.sumOfSquares / freedom).squareRoot()
    func sigma(_ index: Int) -> Double { growth * max(0, best.covariance[6 * index]).squareRoot() }
    let model = ImpedanceModel(
      resistance: Estimate(p[0], uncertainty: sigma(0)),
      inductance: Estimate(1e-3 * p[1], uncertainty: 1e-3 * sigma(1)),
      frequency: Estimate(exp(p[3]), uncertainty: exp(p[3]) * sigma(3)),
      q: Estimate(exp(p[4]), uncertainty: exp(p[4]) * sigma(4)),
      motional: Estimate(p[2], uncertainty: sigma(2)), misfit: problem.misfit(p, measured))
    guard model.misfit <= Self.maximumMisfit, model.motional.value > 5 * model.motional.uncertainty,
      measured.band.contains(model.frequency.value)
    else { return nil }
    return model
  }
}

/// The fit of an impedance as least squares over R, L in mH, Zm, ln f0 and ln Qm.
private struct ImpedanceProblem {
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
    return LevenbergMarquardt(residualCount: rows) { p, target in
      let parameters = (0..<5).map { p[$0] }
      for index in 0..<count {
        let rest = response[index] - Self.impedance(parameters, angular[index])
        target[2 * index] = weights[index] * rest.real
        target[2 * index + 1] = weights[index] * rest.imaginary
      }
    } jacobian: { p, target in
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

  private static func branch(_ ratio: Double, _ q: Double) -> Complex {
    Complex(0, ratio / q) / Complex(1 - ratio * ratio, ratio / q)
  }

  private static func impedance(_ p: [Double], _ angular: Double) -> Complex {
    Complex(p[0], 1e-3 * p[1] * angular)
      + p[2] * branch(angular / (2 * .pi * exp(p[3])), exp(p[4]))
  }
}
