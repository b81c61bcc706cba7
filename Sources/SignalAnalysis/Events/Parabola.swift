/// A least-squares parabola a + b t + c t^2 through evenly spaced values, t counted from an origin.
struct Parabola {
  private let a: Double
  private let b: Double
  private let c: Double
  private let inverse: [[Double]]

  /// Fits the values at whole frames; nil where they do not determine a parabola.
  init?(frames: ClosedRange<Int>, origin: Double, values: (Int) -> Double) {
    var moments = [Double](repeating: 0, count: 5)
    var right = [Double](repeating: 0, count: 3)
    for frame in frames {
      let t = Double(frame) - origin
      let value = values(frame)
      var power = 1.0
      for order in 0..<5 {
        moments[order] += power
        if order < 3 { right[order] += power * value }
        power *= t
      }
    }
    // The inverse of the symmetric matrix of moments, by cofactors.
    let m = moments
    let cofactors = [
      [m[2] * m[4] - m[3] * m[3], m[2] * m[3] - m[1] * m[4], m[1] * m[3] - m[2] * m[2]],
      [m[2] * m[3] - m[1] * m[4], m[0] * m[4] - m[2] * m[2], m[1] * m[2] - m[0] * m[3]],
      [m[1] * m[3] - m[2] * m[2], m[1] * m[2] - m[0] * m[3], m[0] * m[2] - m[1] * m[1]],
    ]
    let determinant = m[0] * cofactors[0][0] + m[1] * cofactors[0][1] + m[2] * cofactors[0][2]
    guard determinant.isFinite, determinant > 0 else { return nil }
    inverse = cofactors.map { $0.map { $0 / determinant } }
    let solution = inverse.map { $0[0] * right[0] + $0[1] * right[1] + $0[2] * right[2] }
    (a, b, c) = (solution[0], solution[1], solution[2])
  }

  /// The place nearest to the origin where the parabola rises through a level.
  func rising(through level: Double) -> Double? {
    let below = a - level
    let discriminant = b * b - 4 * c * below
    guard discriminant > 0 else { return nil }
    // This root of the two has the slope +sqrt(discriminant); written so that nothing cancels.
    let root = discriminant.squareRoot()
    return b > 0 ? -2 * below / (b + root) : c == 0 ? nil : (root - b) / (2 * c)
  }

  func slope(at t: Double) -> Double { b + 2 * c * t }

  /// The variance of the fitted value at a place, over the variance of one sample.
  func leverage(at t: Double) -> Double {
    let powers = [1, t, t * t]
    var sum = 0.0
    for row in 0..<3 {
      for column in 0..<3 { sum += powers[row] * inverse[row][column] * powers[column] }
    }
    return sum
  }

  /// The value at the origin of a parabola that moves over samples, one for each frame.
  ///
  /// Uses the frames that this parabola was fitted over, `reach` to each side of its origin 0; what lies
  /// beyond the ends of the samples counts as the sample at the end.
  func smooth(_ samples: [Float], frames: Range<Int>, reach: Int) -> [Double] {
    let weights = (-reach...reach).map { step in
      let t = Double(step)
      return inverse[0][0] + inverse[0][1] * t + inverse[0][2] * t * t
    }
    return frames.map { frame in
      var sum = 0.0
      for step in -reach...reach {
        let place = max(0, min(samples.count - 1, frame + step))
        sum += weights[step + reach] * Double(samples[place])
      }
      return sum
    }
  }
}
