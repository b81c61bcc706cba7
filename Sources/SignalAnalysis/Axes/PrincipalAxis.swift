public import Units

/// The direction in which a vibration is strongest.
public struct PrincipalAxis: Sendable, Equatable {
  /// The unit vector of the direction, one number an axis; its largest part is above zero.
  public let direction: [Double]
  /// The rms along the direction, in the signals' unit.
  public let strength: Double
  /// The rms across it, all directions together, over that along it: 0 for a straight motion, 1 for a circle.
  public let offAxisRatio: Double

  /// Finds the direction of the largest variance.
  ///
  /// `frames` are those that count, as far as there are samples, or all; means are taken off. With a
  /// band, only what lies in it counts, which needs the rate. Gives nil for no axes, fewer than 2
  /// frames, or axes without motion. All axes are of one length; traps otherwise.
  public static func find(
    _ axes: [[Float]], frames: Range<Int>? = nil, band: ClosedRange<Double>? = nil,
    rate: SampleRate = .standard
  ) -> PrincipalAxis? {
    guard let count = AxisReduction.checked(axes) else { return nil }
    let frames = (frames ?? 0..<count).clamped(to: 0..<count)
    guard frames.count > 1 else { return nil }
    let values = axes.map { axis -> [Double] in
      let kept =
        band.map { Array(BandPass($0).apply(to: axis, rate: rate)[frames]) }
        ?? axis[frames].map(Double.init)
      let mean = kept.reduce(0, +) / Double(kept.count)
      return kept.map { $0 - mean }
    }
    let size = axes.count
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
    for row in 0..<size {
      for column in 0...row {
        var sum = 0.0
        for frame in values[row].indices { sum += values[row][frame] * values[column][frame] }
        matrix[row][column] = sum / Double(frames.count)
        matrix[column][row] = matrix[row][column]
      }
    }
    let total = (0..<size).reduce(0) { $0 + matrix[$1][$1] }
    guard total > 0, total.isFinite else { return nil }
    let (largest, vector) = strongest(matrix)
    let across = max(0, total - largest)
    return PrincipalAxis(
      direction: vector, strength: largest.squareRoot(),
      offAxisRatio: (across / largest).squareRoot())
  }

  /// The samples seen along the direction; traps unless there are as many axes as the direction has parts.
  public func project(_ axes: [[Float]]) -> [Float] {
    precondition(axes.count == direction.count, "\(axes.count) axes on \(direction.count)")
    guard let count = AxisReduction.checked(axes) else { return [] }
    return (0..<count).map { frame in
      var sum = 0.0
      for axis in axes.indices { sum += direction[axis] * Double(axes[axis][frame]) }
      return Float(sum)
    }
  }

  /// The largest eigenvalue of a symmetric matrix with its vector, by turns of Jacobi.
  private static func strongest(
    _ symmetric: [[Double]]
  ) -> (value: Double, vector: [Double]) {
    var a = symmetric
    let size = a.count
    var vectors = (0..<size).map { row in (0..<size).map { $0 == row ? 1.0 : 0 } }
    for _ in 0..<30 {
      for p in 0..<size {
        for q in (p + 1)..<max(size, p + 1) where a[p][q] != 0 {
          let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
          let sign: Double = theta < 0 ? -1 : 1
          let t = sign / (abs(theta) + (theta * theta + 1).squareRoot())
          let c = 1 / (t * t + 1).squareRoot()
          let s = t * c
          for k in 0..<size {
            (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q])
          }
          for k in 0..<size {
            (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k])
            let (x, y) = (vectors[k][p], vectors[k][q])
            (vectors[k][p], vectors[k][q]) = (c * x - s * y, s * x + c * y)
          }
        }
      }
    }
    let top = (0..<size).max { a[$0][$0] < a[$1][$1] } ?? 0
    let vector = vectors.map { $0[top] }
    let largest = vector.max { abs($0) < abs($1) } ?? 1
    return (a[top][top], largest < 0 ? vector.map { -$0 } : vector)
  }
}
