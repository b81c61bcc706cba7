// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// The free decay of a resonator: x(t) = c + A exp(-t / decay) cos(2 pi fd t + phase).
public struct RingDown: Sendable, Equatable {
  /// The frequency of resonance f0 = fd / sqrt(1 - 1 / 4 Q^2) in hertz.
  public let frequency: Estimate
  /// The quality factor, from pi fd decay = sqrt(Q^2 - 1/4).
  public let q: Estimate

  /// Measures a free ringing.
  ///
  /// `frames` begin after the drive has ended, or braking with it, and hold nothing but the ring and
  /// noise. The decaying cosine with a constant is fitted by least squares from several starts; with a
  /// `frequency` in hertz they stand around that, otherwise around the strongest line of the band.
  /// Noise is taken as white. Gives nil for fewer than 16 frames, for less than one period, and where
  /// the ring does not stand out of what is left over or decays within a third of a period. Q from 1.5
  /// up is found. Costs some passes over the frames.
  public static func measure(
    _ samples: [Float], frames: Range<Int>? = nil, rate: SampleRate, frequency: Double? = nil,
    band: ClosedRange<Double> = 20...1_000
  ) -> RingDown? {
    let frames = (frames ?? samples.indices).clamped(to: samples.indices)
    guard frames.count >= 16 else { return nil }
    let values = samples[frames].map(Double.init)
    guard values.allSatisfy(\.isFinite) else { return nil }
    guard let start = frequency ?? strongest(values, rate: rate, band: band),
      start / rate.hertz * Double(frames.count) >= 1
    else { return nil }
    let problem = DecayProblem(values, block: Int(rate.hertz / (32 * start)))
    var rough: [LevenbergMarquardt.Minimum] = []
    for q in [4.0, 10, 25] {
      for factor in [0.93, 1, 1.07] {
        let turns = factor * start / rate.hertz * Double(problem.block)
        let found = problem.leastSquares.minimum(
          from: problem.start(turns: turns, q: q), tolerance: 1e-6)
        if let found, found.parameters[0] > 0, found.parameters[1] > 0 { rough.append(found) }
      }
    }
    guard let nearest = rough.min(by: { $0.sumOfSquares < $1.sumOfSquares }),
      let best = problem.leastSquares.minimum(from: nearest.parameters, tolerance: 1e-12)
    else { return nil }
    return result(best, problem, rate: rate)
  }

  private static func result(
    _ best: LevenbergMarquardt.Minimum, _ problem: DecayProblem, rate frameRate: SampleRate
  ) -> RingDown? {
    // Turns a block, decay a block, cosine, sine, constant.
    let rate = SampleRate(hertz: frameRate.hertz / Double(problem.block))
    let p = best.parameters
    let count = Double(problem.values.count)
    let residual = (best.sumOfSquares / max(1, count - 5)).squareRoot()
    let explained = problem.variation - best.sumOfSquares
    guard p[0] > 0, p[0] < 0.5, p[1] > 0, p[1] < 3 * p[0], explained > 30 * residual * residual
    else { return nil }
    func covariance(_ row: Int, _ column: Int) -> Double {
      residual * residual * best.covariance[row * 5 + column]
    }
    // pi fd / (decay a frame) is sqrt(Q^2 - 1/4).
    let ratio = .pi * p[0] / p[1]
    let q = (ratio * ratio + 0.25).squareRoot()
    let relative =
      covariance(0, 0) / (p[0] * p[0]) + covariance(1, 1) / (p[1] * p[1])
      - 2 * covariance(0, 1) / (p[0] * p[1])
    let sigmaRatio = ratio * max(0, relative).squareRoot()
    // w0^2 = wd^2 + decay^2.
    let (wd, decay) = (2 * Double.pi * p[0], p[1])
    let w0 = (wd * wd + decay * decay).squareRoot()
    let (a, b) = (2 * Double.pi * wd / w0, decay / w0)
    let variance =
      a * a * covariance(0, 0) + b * b * covariance(1, 1) + 2 * a * b * covariance(0, 1)
    let toHertz = rate.hertz / (2 * .pi)
    return RingDown(
      frequency: Estimate(toHertz * w0, uncertainty: toHertz * max(0, variance).squareRoot()),
      q: Estimate(q, uncertainty: sigmaRatio * ratio / q))
  }

  /// The frequency of the strongest bin of the band, to a part of a bin.
  private static func strongest(
    _ values: [Double], rate: SampleRate, band: ClosedRange<Double>
  ) -> Double? {
    let mean = values.reduce(0, +) / Double(values.count)
    var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: 4 * values.count))
    let centred = values.map { $0 - mean }
    let powers = transform.forward(centred.span).map(\.power)
    let width = rate.hertz / Double(transform.length)
    let first = max(1, Int((band.lowerBound / width).rounded(.up)))
    let last = min(powers.count - 1, Int((band.upperBound / width).rounded(.down)))
    guard first <= last, let top = (first...last).max(by: { powers[$0] < powers[$1] }) else {
      return nil
    }
    return powers[top] > 0 ? Double(top) * width : nil
  }
}

/// A decaying cosine with a constant, as least squares over means of a few frames.
///
/// The mean over blocks of a decaying cosine is one too, of the same frequency and decay, and white noise
/// stays white: nothing is lost, and there are fewer values to fit.
private struct DecayProblem {
  let values: [Double]
  let block: Int

  /// Takes the mean over whole blocks; 16 values are left at least.
  init(_ frames: [Double], block: Int) {
    let block = max(1, min(block, frames.count / 16))
    self.block = block
    values = (0..<(frames.count / block)).map { index in
      frames[(index * block)..<((index + 1) * block)].reduce(0, +) / Double(block)
    }
  }

  /// The sum of squares around the mean.
  var variation: Double {
    let mean = values.reduce(0, +) / Double(values.count)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }

  /// Parameters near a frequency in turns a frame and a Q: the best cosine, sine and constant for them.
  func start(turns: Double, q: Double) -> [Double] {
    let decay = Double.pi * turns / q
    var products = [Double](repeating: 0, count: 9)
    var right = [0.0, 0, 0]
    for (frame, value) in values.enumerated() {
      let wave = exp(-decay * Double(frame)) * Complex(angle: 2 * .pi * turns * Double(frame))
      let columns = [wave.real, wave.imaginary, 1]
      for row in 0..<3 {
        right[row] += columns[row] * value
        for column in 0..<3 { products[3 * row + column] += columns[row] * columns[column] }
      }
    }
    let solution = SymmetricInverse(size: 3) { products[3 * $0 + $1] }.times(right)
    return [turns, decay] + solution
  }

  /// Residuals and derivatives over turns a frame, decay a frame, cosine, sine and constant.
  var leastSquares: LevenbergMarquardt {
    let count = values.count
    return LevenbergMarquardt(residualCount: count) { p, target in
      for frame in 0..<count {
        let wave = Self.wave(p, frame)
        target[frame] =
          values[frame] - p[2] * wave.real - p[3] * wave.imaginary - p[4]
      }
    } jacobian: { p, target in
      for frame in 0..<count {
        let wave = Self.wave(p, frame)
        let time = Double(frame)
        let value = p[2] * wave.real + p[3] * wave.imaginary
        let turned = p[3] * wave.real - p[2] * wave.imaginary
        target[frame] = -2 * .pi * time * turned
        target[count + frame] = time * value
        target[2 * count + frame] = -wave.real
        target[3 * count + frame] = -wave.imaginary
        target[4 * count + frame] = -1
      }
    }
  }

  private static func wave(_ parameters: UnsafePointer<Double>, _ frame: Int) -> Complex {
    let time = Double(frame)
    return exp(max(-700, min(700, -parameters[1] * time)))
      * Complex(angle: 2 * .pi * parameters[0] * time)
  }
}
