private import Glibc

/// How a stretch of an impulse response is weighted before it is transformed, and what that lets pass.
///
/// The same for every impulse response that is cut up in the same way.
struct NoiseWindow: Sendable, Equatable {
  /// The samples of the circle that hold nothing but noise.
  let free: Range<Int>
  /// The samples of the transform: zeros fill up what there are more.
  let length: Int
  /// The distance of two bins in hertz.
  let spacing: Double
  /// A Hann window over the stretch.
  let weights: [Double]
  /// The sum of the squares of the weights.
  let power: Double
  /// How much of the noise's power the band lets pass, around each bin.
  let passed: [Double]

  /// Prepares to look at a stretch; `share` is the factor of the band that was measured.
  init(_ free: Range<Int>, rate: Double, share: (_ frequency: Double) -> Double) {
    self.free = free
    let length = FourierTransform.fastLength(atLeast: max(16, free.count))
    let spacing = rate / Double(length)
    self.length = length
    self.spacing = spacing
    let unit = 2 * Double.pi / Double(free.count)
    weights = (0..<free.count).map { 0.5 - 0.5 * cos(unit * (Double($0) + 0.5)) }
    power = weights.reduce(0) { $0 + $1 * $1 }
    // At the band's edges a mean holds what lies outside: less, by the mean of what passes.
    passed = Self.smooth(
      (0...length / 2).map { bin in
        let share = share(Double(bin) * spacing)
        return share * share
      })
  }

  /// How many bins to each side a mean takes: a sixth of an octave, at least 8.
  static func reach(_ bin: Int) -> Int { max(8, Int(0.12 * Double(bin))) }

  static func smooth(_ powers: [Double]) -> [Double] {
    var sums: [Double] = [0]
    for power in powers { sums.append(sums[sums.count - 1] + power) }
    return powers.indices.map { bin in
      let reach = reach(bin)
      let (first, end) = (max(0, bin - reach), min(powers.count, bin + reach + 1))
      return (sums[end] - sums[first]) / Double(end - first)
    }
  }
}
