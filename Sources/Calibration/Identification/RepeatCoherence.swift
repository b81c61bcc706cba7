private import Glibc
import SignalAnalysis

/// How much of a response follows the drive, told by sweeps of one level: its coherence.
///
/// The power that the responses H have in common, against that of one of them:
/// |mean H|^2 / (|mean H|^2 + S), S their sample variance. For equal drives that is the coherence
/// |Sxy|^2 / (Sxx Syy) of a single sweep (Bendat and Piersol, "Random Data", 9.2) without the bias of few.
/// What two sweeps alone tell of S scatters as much as S itself, so powers are summed over third octaves.
struct RepeatCoherence: Sendable, Equatable {
  /// The middles of the third octaves, in hertz.
  let frequencies: [Double]
  /// The coherence in each, 0...1.
  let values: [Double]

  /// Compares responses to equal drives; nil for fewer than two.
  init?(_ responses: [TransferFunction]) {
    guard responses.count >= 2, let first = responses.first else { return nil }
    let band = responses.dropFirst().map(\.band).reduce(first.band) { $0.clamped(to: $1) }
    let count = max(1, Int((3 * log2(band.upperBound / band.lowerBound)).rounded()))
    let ratio = pow(band.upperBound / band.lowerBound, 1 / Double(count))
    var sums = [(common: Double, scatter: Double)](repeating: (0, 0), count: count)
    for frequency in first.frequencies {
      let found = responses.compactMap { $0.response(at: frequency) }
      guard found.count == responses.count else { continue }
      let mean = found.reduce(Complex(0)) { $0 + $1 } / Complex(Double(found.count))
      let place = Int(log(frequency / band.lowerBound) / log(ratio))
      let scatter = found.reduce(0) { $0 + ($1 - mean).power } / Double(found.count - 1)
      sums[min(count - 1, max(0, place))].common += mean.power
      sums[min(count - 1, max(0, place))].scatter += scatter
    }
    let kept = sums.indices.filter { sums[$0].common > 0 }
    guard !kept.isEmpty else { return nil }
    frequencies = kept.map { band.lowerBound * pow(ratio, Double($0) + 0.5) }
    values = kept.map { sums[$0].common / (sums[$0].common + sums[$0].scatter) }
  }

  /// That of each level of which there is more than one sweep, by rising level.
  static func curves(of sweeps: [SweepReading]) -> [CalibrationFigures.Curve] {
    Set(sweeps.map(\.level)).sorted().compactMap { level in
      let same = sweeps.filter { $0.level == level }
      return RepeatCoherence(same.map(\.response.linear)).map {
        CalibrationFigures.Curve(
          label: "\(text(level)) V, \(same.count) sweeps", x: $0.frequencies, y: $0.values)
      }
    }
  }
}
