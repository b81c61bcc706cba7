private import Glibc

/// Input and output compared over several segments: two estimates of the response, and the coherence.
public struct CrossSpectrum: Sendable, Equatable {
  /// The distance of two frequencies in hertz.
  public let spacing: Double
  /// The frequencies in hertz, rising.
  public let frequencies: [Double]
  /// The mean power of the input at each frequency, |X|^2 of its transform.
  public let inputPower: [Double]
  /// The mean power of the output at each frequency.
  public let outputPower: [Double]
  /// The mean of conj(X) Y at each frequency.
  public let crossPower: [Complex]
  /// How many independent segments the means are worth.
  public let averages: Double

  /// H1 = Sxy / Sxx: free of what noise at the output does.
  public var h1: TransferFunction {
    transfer { crossPower[$0] / Complex(inputPower[$0]) }
  }

  /// H2 = Syy / Syx: free of what noise at the input does.
  public var h2: TransferFunction {
    transfer { Complex(outputPower[$0]) / crossPower[$0].conjugate }
  }

  /// The coherence |Sxy|^2 / (Sxx Syy) at each frequency, 0 to 1.
  ///
  /// For one segment it is 1 whatever was measured. Its uncertainty is sqrt(2 c / n) (1 - c), at least the 1 / n that noise alone has
  /// (Bendat and Piersol, "Random Data", 9.2).
  public var coherence: [Estimate] {
    frequencies.indices.map { index in
      let both = inputPower[index] * outputPower[index]
      let value = both > 0 ? min(1, crossPower[index].power / both) : 0
      let spread = (2 * value / averages).squareRoot() * (1 - value)
      return Estimate(value, uncertainty: max(spread, (1 - value) / averages))
    }
  }

  /// The relative standard uncertainty of |H|: sqrt((1 - c) / (2 n c)), c the coherence.
  ///
  /// Of n segments c comes out too high by (1 - c)^2 / n: it is taken off. Infinite where nothing is left.
  public var relativeUncertainty: [Double] {
    coherence.map { found in
      let rest = 1 - found.value
      let value = found.value - rest * rest / averages
      guard value > 0, averages > 1 else { return .infinity }
      // With n segments the scatter has n - 1 degrees of freedom.
      return ((1 - value) / (2 * (averages - 1) * value)).squareRoot()
    }
  }

  private func transfer(_ value: (Int) -> Complex) -> TransferFunction {
    let response = frequencies.indices.map(value)
    return TransferFunction(
      spacing: spacing, frequencies: frequencies, response: response,
      uncertainty: zip(response, relativeUncertainty).map { $0.magnitude * $1 })
  }
}
