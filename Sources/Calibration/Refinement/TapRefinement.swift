private import Glibc
import Profiles
import SignalAnalysis
import Units

/// Finds what the inverse's resonance and Q must be at the level of taps, so that least rings on.
///
/// The same taps are played with the inverse as it is, with its resonance raised, and with its Q raised.
/// What follows the intended end is linear in small changes, so the two changes that leave least of it
/// are a small least-squares problem over the recorded samples themselves; no model enters.
struct TapRefinement: Sendable, Equatable {
  /// The resonance in hertz.
  var frequency: Double
  /// The quality factor.
  var q: Double

  /// By how much the resonance, and Q, are raised for the trial.
  static let frequencyStep = 0.01
  static let qStep = 0.1

  /// The three trials: as it is, resonance raised, Q raised.
  var trials: [(frequency: Double, q: Double)] {
    [
      (frequency, q), (frequency * (1 + Self.frequencyStep), q), (frequency, q * (1 + Self.qStep)),
    ]
  }

  /// Changes both numbers by what the tails say.
  ///
  /// `tails` holds the samples after the intended end for each tap, each with its three trials in
  /// their order; `noise` is the standard deviation of a sample.
  mutating func refine(tails: [[[Double]]], noise: Double) {
    var rows: [[Double]] = []
    var values: [Double] = []
    for tail in tails where tail.count == 3 {
      // Clocks apart, the three cuts may differ by a sample.
      for sample in 0..<(tail.map(\.count).min() ?? 0) {
        rows.append([tail[1][sample] - tail[0][sample], tail[2][sample] - tail[0][sample]])
        values.append(-tail[0][sample])
      }
    }
    guard !rows.isEmpty else { return }
    var uncertainties = [Double](repeating: max(noise, 1e-9), count: rows.count)
    // Both changes are small: 3 % of the resonance, 30 % of Q, in trial steps.
    rows += [[1, 0], [0, 1]]
    values += [0, 0]
    uncertainties += [3, 3]
    guard let fit = LinearFit(rows: rows, values: values, uncertainties: uncertainties) else {
      return
    }
    let (a, b) = (max(-6, min(6, fit.parameters[0])), max(-4, min(6, fit.parameters[1])))
    frequency *= 1 + Self.frequencyStep * a
    q *= max(0.5, 1 + Self.qStep * b)
  }
}
