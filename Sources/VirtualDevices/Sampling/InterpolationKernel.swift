import Glibc

/// A windowed sinc that reads a sampled signal between its samples.
///
/// Kaiser window of 96 dB. With `reach` r lobes on either side and a cutoff of half the lower of two
/// rates, it is flat within 2e-5 up to (1 - 5.9 / (2 r)) of that half: 19.6 kHz at 48 kHz and r = 16.
/// Its delay is exact by symmetry; the table of phases is interpolated linearly, which costs less than
/// 1e-6 of a sample, and some 1e-5 where two clocks differ by hundreds of ppm.
struct InterpolationKernel: Sendable {
  /// How many samples before and after the point are read.
  let halfWidth: Int

  /// Input samples to one of the output.
  let decimation: Int
  /// Rows of the table to one sample; there is one more, for the end.
  let phases: Int
  /// By phase, every `decimation`-th tap from the first on, then from the second on, and so on.
  let table: [Float]

  /// Taps of a row.
  var taps: Int { 2 * halfWidth }

  /// Makes a kernel.
  ///
  /// - Parameters:
  ///   - reach: Lobes on either side.
  ///   - decimation: How many input samples there are to one of the output; 1 reconstructs at the
  ///     input's own band, more than 1 also keeps out what would alias.
  init(reach: Int, decimation: Int) {
    let halfWidth = reach * decimation
    let taps = 2 * halfWidth
    let phases = max(64, 512 / decimation)
    var table: [Float] = []
    table.reserveCapacity((phases + 1) * taps)
    for phase in 0...phases {
      let fraction = Double(phase) / Double(phases)
      let row = (0..<taps).map { tap in
        let distance = Double(tap - halfWidth + 1) - fraction
        return Self.sinc(distance / Double(decimation))
          * Self.kaiser(distance / Double(halfWidth))
      }
      let sum = row.reduce(0, +)
      for first in 0..<decimation {
        table += stride(from: first, to: taps, by: decimation).map { tap in
          // Where the sinc is zero but for rounding: a quiet signal times that would be slow.
          let weight = row[tap] / sum
          return abs(weight) < 1e-9 ? 0 : Float(weight)
        }
      }
    }
    self.halfWidth = halfWidth
    self.decimation = decimation
    self.phases = phases
    self.table = table
  }

  private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

  /// The Kaiser window at -1...1 for 96 dB: beta = 0.1102 (A - 8.7).
  private static func kaiser(_ x: Double) -> Double {
    let beta = 0.1102 * (96 - 8.7)
    return bessel(beta * max(0, 1 - x * x).squareRoot()) / bessel(beta)
  }

  /// The modified Bessel function of order zero, by its power series.
  private static func bessel(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var order = 1.0
    while term > sum * 1e-17 {
      term *= (x / (2 * order)) * (x / (2 * order))
      sum += term
      order += 1
    }
    return sum
  }
}
