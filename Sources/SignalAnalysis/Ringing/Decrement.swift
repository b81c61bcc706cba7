private import Glibc

/// The quality factor from the heights of successive crests.
enum Decrement {
  /// Q from the slope of ln |crest| over half periods, weighted by height over noise.
  ///
  /// A half period takes exp(-pi / (2 sqrt(Q^2 - 1/4))) of the height. A crest is the sum of a quarter
  /// period under a cosine, so that noise counts less than in one sample; crests count as long as they
  /// are 4 times their noise. Nil with fewer than two.
  static func q(_ values: [Double], turns: Double, noise: Double) -> Estimate? {
    let half = 0.5 / turns
    // From the first crest on: the highest of the first half period.
    let search = min(values.count, max(1, Int(half.rounded(.up))))
    guard let first = (0..<search).max(by: { abs(values[$0]) < abs(values[$1]) }) else {
      return nil
    }
    let reach = max(1, Int((half / 4).rounded()))
    let weights = (-reach...reach).map { cos(2 * .pi * turns * Double($0)) }
    let norm = weights.reduce(0) { $0 + $1 * $1 }
    var heights: [(index: Double, height: Double)] = []
    for number in 0... {
      let frame = first + Int((Double(number) * half).rounded())
      guard frame + reach < values.count else { break }
      guard frame - reach >= 0 else { continue }
      // Where a rounded frame misses the crest, the cosine moves along with it.
      let off = Double(frame - first) - Double(number) * half
      var sum = 0.0
      for step in -reach...reach {
        sum += cos(2 * .pi * turns * (Double(step) + off)) * values[frame + step]
      }
      let height = abs(sum) / norm
      guard height > 4 * noise / norm.squareRoot() else { break }
      heights.append((Double(number), height))
    }
    guard heights.count >= 2 else { return nil }
    var (s, sx, sy, sxx, sxy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, height) in heights {
      let weight = height * height
      (s, sx, sy) = (s + weight, sx + weight * index, sy + weight * log(height))
      (sxx, sxy) = (sxx + weight * index * index, sxy + weight * index * log(height))
    }
    let determinant = s * sxx - sx * sx
    let slope = (s * sxy - sx * sy) / determinant
    guard determinant > 0, slope < 0 else { return nil }
    // The variance of ln(height) is noise^2 / (norm height^2), of which the weights are the inverse.
    let sigma = noise * (s / determinant / norm).squareRoot()
    let ratio = -.pi / (2 * slope)
    let q = (ratio * ratio + 0.25).squareRoot()
    return Estimate(q, uncertainty: ratio / q * ratio * sigma / -slope)
  }
}
