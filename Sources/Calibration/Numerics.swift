// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Units

/// Weighted least squares of a few parameters that the model is linear in.
///
/// Minimises sum (y - sum p_k x_k)^2 / u^2 through the normal equations, whose few columns are of like
/// size here.
struct LinearFit: Sendable {
  let parameters: [Double]
  let covariance: SymmetricInverse
  let chiSquare: Double
  let freedom: Int

  init?(rows: [[Double]], values: [Double], uncertainties: [Double]) {
    guard let count = rows.first?.count, rows.count >= count else { return nil }
    var normal = [[Double]](repeating: .init(repeating: 0, count: count), count: count)
    var right = [Double](repeating: 0, count: count)
    // Plain indices: there may be many thousands of rows.
    for place in rows.indices {
      let row = rows[place]
      let weight = 1 / (uncertainties[place] * uncertainties[place])
      for i in 0..<count {
        let weighted = weight * row[i]
        right[i] += weighted * values[place]
        for j in 0..<count { normal[i][j] += weighted * row[j] }
      }
    }
    let inverse = SymmetricInverse(size: count) { normal[$0][$1] }
    guard inverse.isWhole else { return nil }
    let solution = inverse.times(right)
    parameters = solution
    covariance = inverse
    var sum = 0.0
    for place in rows.indices {
      var residual = values[place]
      for i in 0..<count { residual -= rows[place][i] * solution[i] }
      residual /= uncertainties[place]
      sum += residual * residual
    }
    chiSquare = sum
    freedom = rows.count - count
  }

  /// The standard deviation of a parameter, grown by what the rows scatter beyond their uncertainties.
  func uncertainty(of index: Int) -> Double {
    let growth = freedom > 0 ? max(1, chiSquare / Double(freedom)) : 1
    return (growth * max(0, covariance[index, index])).squareRoot()
  }
}

extension Estimate {
  func widened(byShare relative: Double) -> Estimate {
    widened(by: relative * abs(value))
  }
}

extension FourierTransform {
  /// Samples with the bins of their spectrum changed by a function of the frequency in hertz and the bin.
  ///
  /// As many zeros as there is room for stand behind them, for what rings on.
  static func shape(
    _ samples: [Float], rate: SampleRate, room: Int, _ change: (Double, Complex) -> Complex
  ) -> [Double] {
    var transform = FourierTransform(length: fastLength(atLeast: samples.count + room))
    var bins = transform.forward(samples.span)
    for index in bins.indices {
      bins[index] = change(Double(index) * rate.hertz / Double(transform.length), bins[index])
    }
    return Array(transform.inverse(bins).prefix(samples.count))
  }
}
