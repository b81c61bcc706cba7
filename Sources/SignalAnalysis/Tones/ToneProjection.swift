private import Glibc

/// Least squares of sines, cosines and a constant over a window, counted from its middle.
///
/// About the middle sines are odd and cosines even, so that the normal equations fall apart into one
/// for the cosines with the constant and one for the sines; their sums of products are
/// Dirichlet kernels and need no pass over the samples.
struct ToneProjection {
  private let step: Double
  private let orders: Int
  private let first: Int
  private let count: Int
  private let cosines: [Double]
  private let sines: [Double]
  private let cosineCovariance: SymmetricInverse
  private let sineCovariance: SymmetricInverse
  private let residual: Double

  private var middle: Double { Double(count - 1) / 2 }

  /// Projects on a fundamental of `step` turns a frame; nil where a sample is not finite.
  init?(_ samples: [Float], _ frames: Range<Int>, step: Double, orders: Int) {
    self.step = step
    self.orders = orders
    first = frames.lowerBound
    count = frames.count
    let middle = Double(count - 1) / 2
    var even = [Double](repeating: 0, count: orders + 1)
    var odd = [Double](repeating: 0, count: orders)
    var energy = 0.0
    // In blocks, within which the fundamental turns by a recurrence and the harmonics by its powers.
    let turn = Complex(angle: 2 * .pi * step)
    for start in Swift.stride(from: 0, to: count, by: 256) {
      var base = Complex(angle: 2 * .pi * step * (Double(start) - middle))
      for index in start..<min(count, start + 256) {
        let sample = Double(samples[first + index])
        energy += sample * sample
        even[0] += sample
        var power = base
        for order in 0..<orders {
          even[order + 1] += sample * power.real
          odd[order] += sample * power.imaginary
          power = power * base
        }
        base = base * turn
      }
    }
    guard energy.isFinite else { return nil }
    /// The sum of cos(2 pi turns n) over the window.
    func kernel(_ multiple: Int) -> Double {
      let angle = Double.pi * step * Double(multiple)
      let divisor = sin(angle)
      return abs(divisor) < 1e-12
        ? Double(frames.count) : sin(angle * Double(frames.count)) / divisor
    }
    let kernels = (0...(2 * orders)).map(kernel)
    cosineCovariance = SymmetricInverse(size: orders + 1) { row, column in
      (kernels[abs(row - column)] + kernels[row + column]) / 2
    }
    sineCovariance = SymmetricInverse(size: orders) { row, column in
      (kernels[abs(row - column)] - kernels[row + column + 2]) / 2
    }
    cosines = cosineCovariance.times(even)
    sines = sineCovariance.times(odd)
    let explained =
      zip(cosines, even).reduce(0) { $0 + $1.0 * $1.1 }
      + zip(sines, odd).reduce(0) { $0 + $1.0 * $1.1 }
    residual = (max(0, energy - explained) / Double(count - 2 * orders - 1)).squareRoot()
  }

  /// The result, with phases counted from frame 0 of the samples.
  func tone(frequency: Estimate) -> ToneFit {
    let floor =
      1e-8
      * (cosines[0] * cosines[0] + cosines[min(1, orders)] * cosines[min(1, orders)])
      .squareRoot()
    let sigma = max(residual, floor)
    let components = (1...orders).map { order in
      let (even, odd) = (cosines[order], sines[order - 1])
      let amplitude = (even * even + odd * odd).squareRoot()
      let variance =
        (cosineCovariance[order, order] + sineCovariance[order - 1, order - 1]) / 2
      let deviation = sigma * variance.squareRoot()
      // even cos(w t) + odd sin(w t) = amplitude sin(w t + atan2(even, odd)), t from the middle.
      let turns = step * Double(order) * (Double(first) + middle)
      let phase = atan2(even, odd) - 2 * .pi * (turns - turns.rounded())
      return ToneFit.Component(
        order: order, frequency: Double(order) * frequency.value,
        amplitude: Estimate(amplitude, uncertainty: deviation),
        phase: Estimate(
          phase - 2 * .pi * (phase / (2 * .pi)).rounded(),
          uncertainty: deviation / max(amplitude, 1e-300)))
    }
    return ToneFit(
      frequency: frequency, components: components,
      offset: Estimate(cosines[0], uncertainty: sigma * cosineCovariance[0, 0].squareRoot()),
      residual: residual)
  }
}
