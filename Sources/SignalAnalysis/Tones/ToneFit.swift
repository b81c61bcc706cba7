// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// A tone with its harmonics and an offset, fitted to a window by least squares.
public struct ToneFit: Sendable, Equatable {
  /// The fundamental or a harmonic.
  public struct Component: Sendable, Equatable {
    /// The multiple of the fundamental's frequency: 1, 2, ...
    public let order: Int
    /// The frequency in hertz.
    public let frequency: Double
    /// The peak amplitude, in the signal's unit; of real and imaginary part the uncertainty alike.
    public let amplitude: Estimate
    /// The phase in radians of amplitude sin(2 pi f t + phase), t counted from frame 0 of the samples.
    public let phase: Estimate
  }

  /// The frequency of the fundamental in hertz; an uncertainty of zero where it was given.
  public let frequency: Estimate
  /// The fundamental and its harmonics, rising.
  public let components: [Component]
  /// The mean around which they swing.
  public let offset: Estimate
  /// The rms of what is left over, over its degrees of freedom.
  public let residual: Double

  /// The fundamental.
  public var fundamental: Component { components[0] }

  /// The total harmonic distortion: the root of the sum of squares of the harmonics over the fundamental.
  ///
  /// What noise adds to the squares is taken out. Zero with an infinite uncertainty where the
  /// fundamental is zero.
  public var distortion: Estimate {
    guard fundamental.amplitude.value > 0 else { return Estimate(0, uncertainty: .infinity) }
    return Self.distortion(of: components.dropFirst().map(\.amplitude), over: fundamental.amplitude)
  }

  /// sqrt(sum of a^2) / a1 of noisy amplitudes, without what noise adds to the squares.
  ///
  /// Real and imaginary part of each amplitude have the stated uncertainty u, so a^2 has the mean
  /// A^2 + 2 u^2 and the variance 4 A^2 u^2 + 4 u^4. Close to zero the uncertainty is that of the root
  /// of the sum: sqrt(S + s) - sqrt(S), with s the standard deviation of S.
  static func distortion(of parts: [Estimate], over fundamental: Estimate) -> Estimate {
    var (sum, variance) = (0.0, 0.0)
    for part in parts {
      let noise = part.uncertainty * part.uncertainty
      let square = max(0, part.value * part.value - 2 * noise)
      sum += part.value * part.value - 2 * noise
      variance += 4 * square * noise + 4 * noise * noise
    }
    let root = max(0, sum).squareRoot()
    let width = (max(0, sum) + variance.squareRoot()).squareRoot() - root
    let share = root / fundamental.value
    let own = width / fundamental.value
    let scale = share * fundamental.uncertainty / fundamental.value
    return Estimate(share, uncertainty: (own * own + scale * scale).squareRoot())
  }

  /// The share of half the rate up to which a harmonic is fitted: nearer to it sine and cosine look alike.
  private static let highestShare = 0.95
  /// Frames for each parameter at least, so that the residual still tells the noise.
  private static let framesPerParameter = 4
  /// Rounds in which a frequency is refined, and the share of it that is left to move where it stands.
  private static let refinement = (rounds: 12, settled: 1e-9)
  /// Two halves tell a phase difference a little less exactly than the bound: by sqrt(4/3).
  static let halvesOverBound = 1.155

  /// Fits a tone of known frequency, its harmonics and an offset.
  ///
  /// The window is `frames`, as far as there are samples, or all. Harmonics at or above 0.95 of half
  /// the rate are left out. White noise is assumed for the uncertainties. Gives nil where the window
  /// is shorter than one period or 4 frames a parameter, or a sample is not finite. Costs O(n) times
  /// the number of harmonics.
  public static func fit(
    _ samples: [Float], frames: Range<Int>? = nil, rate: SampleRate, frequency: Double,
    harmonics: Int = 5
  ) -> ToneFit? {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    let highest = highestShare * rate.hertz / 2
    guard frequency > 0, frequency < highest, harmonics >= 1 else { return nil }
    let orders = min(harmonics, max(1, Int(highest / frequency)))
    let parameters = 2 * orders + 1
    guard Double(frames.count) * frequency >= rate.hertz,
      frames.count >= framesPerParameter * parameters
    else {
      return nil
    }
    return ToneProjection(samples, frames, step: frequency / rate.hertz, orders: orders)?
      .tone(frequency: Estimate(frequency, uncertainty: 0))
  }

  /// Fits a tone whose frequency is known to about a fifth of one over the window, and finds it.
  ///
  /// The phases of the two halves of the window say by how much the frequency is off; repeated until
  /// that is less than 1e-9 of it, at most 12 times. Its uncertainty is the bound of Cramer and Rao,
  /// sqrt(6) s / (pi A T sqrt(n)).
  public static func refining(
    _ samples: [Float], frames: Range<Int>? = nil, rate: SampleRate, frequency: Double,
    harmonics: Int = 5
  ) -> ToneFit? {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    let middle = frames.lowerBound + frames.count / 2
    let seconds = rate.seconds(Double(frames.count))
    var found = frequency
    func tone(_ frames: Range<Int>) -> ToneFit? {
      fit(samples, frames: frames, rate: rate, frequency: found, harmonics: harmonics)
    }
    for _ in 0..<refinement.rounds {
      guard let first = tone(frames.lowerBound..<middle),
        let second = tone(middle..<frames.upperBound)
      else { return nil }
      let turn = second.fundamental.phase.value - first.fundamental.phase.value
      let nearest = turn - 2 * .pi * (turn / (2 * .pi)).rounded()
      // The halves' middles are half the window apart.
      let step = nearest / (.pi * seconds)
      found += step
      if abs(step) < refinement.settled * found { break }
    }
    guard let whole = tone(frames) else { return nil }
    let bound =
      6.0.squareRoot() * whole.residual
      / (.pi * max(whole.fundamental.amplitude.value, 1e-300) * seconds
        * Double(frames.count).squareRoot())
    return ToneFit(
      frequency: Estimate(found, uncertainty: halvesOverBound * bound),
      components: whole.components,
      offset: whole.offset, residual: whole.residual)
  }
}

/// Least squares of sines, cosines and a constant over a window, counted from its middle.
///
/// About the middle sines are odd and cosines even, so that the normal equations fall apart into one
/// for the cosines with the constant and one for the sines; their sums of products are
/// Dirichlet kernels and need no pass over the samples.
private struct ToneProjection {
  private let step: Double
  private let orders: Int
  private let first: Int
  private let count: Int
  private let cosines: [Double]
  private let sines: [Double]
  private let cosineCovariance: SymmetricInverse
  private let sineCovariance: SymmetricInverse
  private let residual: Double

  /// Frames after which the recurrence begins anew, so that its rounding does not add up.
  private static let block = 256
  /// Below this sine of half the turn a frame the sum of cosines is taken at its limit, the count of frames.
  private static let smallestSine = 1e-12
  /// What single-precision samples leave at least, as a share of the amplitude.
  private static let rounding = 1e-8

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
    for start in Swift.stride(from: 0, to: count, by: Self.block) {
      var base = Complex(angle: 2 * .pi * step * (Double(start) - middle))
      for index in start..<min(count, start + Self.block) {
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
      return abs(divisor) < Self.smallestSine
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
    let (mean, first) = (cosines[0], cosines[min(1, orders)])
    let floor = Self.rounding * (mean * mean + first * first).squareRoot()
    let sigma = max(residual, floor)
    let components = (1...orders).map { order in
      let (even, odd) = (cosines[order], sines[order - 1])
      let amplitude = (even * even + odd * odd).squareRoot()
      let variance =
        (cosineCovariance[order, order] + sineCovariance[order - 1, order - 1]) / 2
      let deviation = sigma * variance.squareRoot()
      // even cos(w t) + odd sin(w t) = amplitude sin(w t + atan2(even, odd)), t from the middle.
      let turns = step * Double(order) * (Double(self.first) + middle)
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
