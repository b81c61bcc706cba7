private import Glibc

/// The weights that tell a band-limited signal between its samples: a sinc under a Kaiser window.
///
/// Kaiser, J. F. & Schafer, R. W., "On the use of the I0-sinh window for spectrum analysis", IEEE
/// Trans. ASSP 28(1), 1980, with beta 9: what leaks from beyond the band lies 90 dB below.
enum WindowedSinc {
  /// How many samples on either side of a place have a weight.
  static let reach = 32

  private static let beta = 9.0
  private static let norm = besselI0(beta)

  /// The weight of a sample at a distance in frames; 0 from `reach` on.
  static func weight(_ distance: Double) -> Double {
    let share = distance / Double(reach)
    guard abs(share) < 1 else { return 0 }
    let window = besselI0(beta * (1 - share * share).squareRoot()) / norm
    return window * (abs(distance) < 1e-12 ? 1 : sin(.pi * distance) / (.pi * distance))
  }

  /// The modified Bessel function of order zero, by its power series.
  private static func besselI0(_ x: Double) -> Double {
    var (term, sum, k) = (1.0, 1.0, 0.0)
    while term > 1e-17 * sum {
      k += 1
      term *= (x / (2 * k)) * (x / (2 * k))
      sum += term
    }
    return sum
  }
}
