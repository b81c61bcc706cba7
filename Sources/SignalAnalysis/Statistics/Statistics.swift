// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// A measured number with its standard uncertainty, both in the same unit.
public struct Estimate: Sendable, Equatable {
  /// The number.
  public var value: Double
  /// One standard deviation.
  public var uncertainty: Double

  /// Makes an estimate.
  public init(_ value: Double, uncertainty: Double) {
    self.value = value
    self.uncertainty = uncertainty
  }

  /// The uncertainty as a share of the value.
  public var relativeUncertainty: Double { uncertainty / abs(value) }

  /// The mean of independent numbers, 0 of none.
  package static func mean(_ values: [Estimate]) -> Estimate {
    let count = Double(max(1, values.count))
    return Estimate(
      values.reduce(0) { $0 + $1.value } / count,
      uncertainty: values.reduce(0) { $0 + $1.uncertainty * $1.uncertainty }.squareRoot() / count)
  }

  /// The same number with independent doubts added to its uncertainty, in its unit.
  package func widened(by doubts: Double...) -> Estimate {
    let variance = doubts.reduce(uncertainty * uncertainty) { $0 + $1 * $1 }
    return Estimate(value, uncertainty: variance.squareRoot())
  }
}

/// Sums over a list of numbers that several estimators need.
extension Statistics {
  /// The mean and the standard deviation with n - 1 in the divisor; 0 for one number, NaN for none.
  public static func moments(_ values: [Double]) -> (mean: Double, sigma: Double) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, count > 1 ? (squares / (count - 1)).squareRoot() : 0)
  }

  /// The standard uncertainty of a standard deviation of a few numbers, as a share of it.
  ///
  /// (sqrt((n - 1) / q) - 1) / 2, q being chi-square of n - 1 degrees of freedom at 4 %: twice of it to either
  /// side covers the true one in 95 of 100 cases, whatever the count, though a spread of few numbers is much
  /// more often too small than too large. 1.97 for 3 numbers, 0.150 for 30.
  public static func spreadUncertainty(count: Int) -> Double {
    precondition(count > 1, "a spread of \(count) numbers")
    let freedom = count - 1
    let quantile = bisect(0...2 * Double(freedom), rounds: 60) {
      !(chiSquareTail($0, degreesOfFreedom: freedom) > 0.96)
    }.low
    return 0.5 * ((Double(freedom) / quantile).squareRoot() - 1)
  }

  /// Where a condition begins to hold along a range, between two ends that so many halvings leave.
  package static func bisect(
    _ range: ClosedRange<Double>, rounds: Int, until holds: (Double) -> Bool
  ) -> (low: Double, high: Double) {
    var (low, high) = (range.lowerBound, range.upperBound)
    for _ in 0..<rounds {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle }
    }
    return (low, high)
  }

  /// The probability that chi-square with some degrees of freedom exceeds a value.
  ///
  /// Q(k/2, x/2), the regularised upper incomplete gamma function: a series below the mean, a
  /// continued fraction (modified Lentz) above it, as in Numerical Recipes 6.2.
  static func chiSquareTail(_ value: Double, degreesOfFreedom: Int) -> Double {
    guard degreesOfFreedom > 0, value > 0 else { return 1 }
    let (a, x) = (Double(degreesOfFreedom) / 2, value / 2)
    let front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1 {
      var (term, sum, n) = (1 / a, 1 / a, a)
      while abs(term) > 1e-16 * abs(sum) {
        n += 1
        term *= x / n
        sum += term
      }
      return 1 - front * sum
    }
    let tiny = 1e-300
    var b = x + 1 - a
    var c = 1 / tiny
    var d = 1 / b
    var h = d
    for i in 1...500 {
      let an = -Double(i) * (Double(i) - a)
      b += 2
      d = an * d + b
      d = 1 / (abs(d) < tiny ? tiny : d)
      c = b + an / c
      if abs(c) < tiny { c = tiny }
      h *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return front * h
  }
}

extension Sequence<Double> {
  /// The sums of the first 0, 1, 2 and more values.
  @inlinable
  package func runningSums() -> [Double] {
    var sums = [0.0]
    sums.reserveCapacity(underestimatedCount + 1)
    var sum = 0.0
    for value in self {
      sum += value
      sums.append(sum)
    }
    return sums
  }
}

/// An edge without a corner.
package enum RaisedCosine {
  /// From 0 at a share of 0 or less of the way to 1 at one of 1 or more.
  package static func rise(_ share: Double) -> Double {
    0.5 - 0.5 * cos(.pi * max(0, min(1, share)))
  }
}

/// How alike two series are.
public enum Correlation {
  /// The correlation coefficient of Pearson, -1 to 1, of two series of one length.
  ///
  /// Gives nil where there are fewer than two values or one series does not vary. Traps where the
  /// lengths differ.
  public static func pearson(_ first: Span<Double>, _ second: Span<Double>) -> Double? {
    precondition(first.count == second.count, "\(first.count) values beside \(second.count)")
    guard first.count > 1 else { return nil }
    let count = Double(first.count)
    var (meanA, meanB) = (0.0, 0.0)
    for index in first.indices {
      meanA += first[index]
      meanB += second[index]
    }
    (meanA, meanB) = (meanA / count, meanB / count)
    var (squareA, squareB, product) = (0.0, 0.0, 0.0)
    for index in first.indices {
      let (a, b) = (first[index] - meanA, second[index] - meanB)
      squareA += a * a
      squareB += b * b
      product += a * b
    }
    guard squareA > 0, squareB > 0 else { return nil }
    return max(-1, min(1, product / (squareA * squareB).squareRoot()))
  }
}

/// How large a signal is.
public enum Amplitude {
  /// The root of the mean square over `frames`, as far as there are samples, or all; zero for none.
  public static func rms(_ samples: [Float], frames: Range<Int>? = nil) -> Double {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    guard !frames.isEmpty else { return 0 }
    var sum = 0.0
    for frame in frames { sum += Double(samples[frame]) * Double(samples[frame]) }
    return (sum / Double(frames.count)).squareRoot()
  }
}

/// What a quiet stretch holds: an offset and noise around it.
public struct NoiseFloor: Sendable, Equatable {
  /// The mean, with its uncertainty for white noise.
  public let offset: Estimate
  /// The standard deviation around the mean, with its uncertainty for white noise.
  public let sigma: Estimate
  /// How many samples the numbers rest on.
  public let count: Int
  /// Makes a noise floor whose numbers are known.
  public init(offset: Estimate, sigma: Estimate, count: Int) {
    self.offset = offset
    self.sigma = sigma
    self.count = count
  }

  /// Measures the offset and the noise of a quiet stretch.
  ///
  /// Samples further than 5 standard deviations from the middle, as median and median deviation
  /// give them, are left out, so that a click or two moves neither number. Uncertainties are
  /// sigma / sqrt(n) and sigma / sqrt(2 n). Gives nil below 8 samples or where one is not finite.
  /// The stretch is `frames`, as far as there are samples, or all. Costs O(n log n).
  public static func estimate(_ samples: [Float], frames: Range<Int>? = nil) -> NoiseFloor? {
    let values = samples[(frames ?? samples.indices).clamped(to: samples.indices)].map(Double.init)
    guard values.count >= 8, values.allSatisfy(\.isFinite) else { return nil }
    let middle = Statistics.median(values)
    // 1.4826 makes the median deviation of Gaussian noise its standard deviation.
    var spread = 1.4826 * Statistics.median(values.map { abs($0 - middle) })
    // Where over half of the samples are equal (a converter at rest) the median deviation is zero.
    if spread == 0 { spread = Statistics.moments(values).sigma }
    let kept = values.filter { abs($0 - middle) <= 5 * spread }
    let (mean, sigma) = Statistics.moments(kept)
    let count = Double(kept.count)
    return NoiseFloor(
      offset: Estimate(mean, uncertainty: sigma / count.squareRoot()),
      sigma: Estimate(sigma, uncertainty: sigma / (2 * count).squareRoot()), count: kept.count)
  }
}
