// SPDX-License-Identifier: Apache-2.0

/// Places an onset to a millisecond, once it is known to within some 20 ms.
///
/// What sounds already can be foretold from its own past, and what begins cannot: so the samples are first
/// freed of what linear prediction foretells. The power of the rest, in bins of a millisecond, is then held
/// against models of an onset,
///
///     v(t) = v1 + v2 min(1, (t - start) / rise)^2    from the start on, v1 before,
///
/// and the start of the likeliest one is taken, where a bin of n samples with the mean square e adds
/// -(n / 2) (ln v + e / v) to the logarithm of the likelihood. A start without a rise is then placed to a sample:
/// where the variance changes most likely (the Akaike picker of seismology, Maeda 1985).
struct OnsetLocator {
  /// How far before and after the time that is known the onset is looked for, in seconds.
  private static let (before, after) = (0.040, 0.030)
  /// The stretch before that, which the prediction is learned from.
  private static let learned = 0.050
  private static let order = 24
  /// The rises that are tried, in bins.
  private static let rises = [0, 2, 4, 7, 12, 20, 32]
  /// How much later than the spectral flux is largest an onset is, on the whole, and what that strays by, in bins:
  /// found on notes and hits, and worth as much as a doubling of the power of one bin.
  private static let (lead, spread) = (1.0, 6.0)
  /// The fewest bins before a start.
  private static let edge = 3

  /// The start of the onset near a time, both in seconds.
  func locate(_ time: Double, in history: SoundHistory) -> Double {
    // Samples closer than some 20 us are taken together: prediction looks back a number of them, and must see
    // as much of a low note at every rate.
    let group = max(1, Int(history.rate / 44_100))
    let rate = history.rate / Double(group)
    let bin = max(8, Int((rate / 1_000).rounded()))
    let first = Int((time * rate).rounded()) - Int(Self.before * rate)
    let count = Int((Self.before + Self.after) * rate) / bin
    let learned = Int(Self.learned * rate)
    let samples = (first - learned..<first + count * bin).map { place in
      (place * group..<(place + 1) * group).reduce(0) { $0 + Double(history.sample($1)) }
        / Double(group)
    }
    let squares = Self.residuals(samples, after: learned)
    let powers = (0..<count).map { place in
      squares[(place * bin)..<((place + 1) * bin)].reduce(0, +) / Double(bin)
    }
    let (start, rise) = Self.start(powers, known: Self.before * rate / Double(bin))
    guard rise == 0 else { return Double(first + start * bin) / rate }
    let around = max(0, start - 4) * bin..<min(count, start + 4) * bin
    return Double(first + around.lowerBound + Self.split(squares[around])) / rate
  }

  /// The squares of what prediction does not foretell of the samples after the first ones, which it is learned
  /// from.
  private static func residuals(_ samples: [Double], after learned: Int) -> [Double] {
    let predictor = predictor(Array(samples[..<learned]))
    return (learned..<samples.count).map { place in
      var rest = samples[place]
      for lag in predictor.indices { rest += predictor[lag] * samples[place - 1 - lag] }
      return rest * rest
    }
  }

  /// The coefficients a of x[n] = -sum a[k] x[n - 1 - k], by Burg's method, which foretells tones that die
  /// away to the last digit.
  static func predictor(_ samples: [Double]) -> [Double] {
    var (forward, backward) = (samples, samples)
    var coefficients: [Double] = []
    for order in 1...Self.order where samples.count > 2 * Self.order {
      var (product, energy) = (0.0, 1e-12)
      for index in order..<samples.count {
        product += forward[index] * backward[index - 1]
        energy += forward[index] * forward[index] + backward[index - 1] * backward[index - 1]
      }
      let reflection = -2 * product / energy
      for index in stride(from: samples.count - 1, through: order, by: -1) {
        let (ahead, behind) = (forward[index], backward[index - 1])
        forward[index] = ahead + reflection * behind
        backward[index] = behind + reflection * ahead
      }
      let old = coefficients
      for lag in old.indices { coefficients[lag] += reflection * old[old.count - 1 - lag] }
      coefficients.append(reflection)
    }
    return coefficients
  }

  /// The likeliest start among bins, and its rise.
  private static func start(_ powers: [Double], known: Double) -> (start: Int, rise: Int) {
    let total = powers.reduce(0, +)
    // 50 dB below the loudest bin is nothing: the rest of what prediction foretells to the last digit.
    let least = max(1e-14, 1e-5 * (powers.max() ?? 0))
    var best = (cost: Double.infinity, start: powers.count / 2, rise: 0)
    for rise in rises {
      let shape = powers.indices.map { place -> Double in
        let share = rise == 0 ? 1 : min(1, (Double(place) + 0.5) / Double(rise))
        return share * share
      }
      let area = shape.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
      var left = 0.0
      var past = 0.0
      for start in powers.indices {
        defer {
          left += powers[start]
          past += 1
        }
        let away = (Double(start) - known - Self.lead) / Self.spread
        guard start >= edge, away > -4, away < 2 else { continue }
        let quiet = left / past + least
        let rest = powers.count - start
        let loud = max(0, (total - left - quiet * Double(rest)) / area[rest])
        var cost = away * away + past * (binaryLogarithm(quiet) + left / past / quiet * log2e)
        for place in start..<powers.count {
          let power = quiet + loud * shape[place - start]
          cost += binaryLogarithm(power) + powers[place] / power * log2e
        }
        if cost < best.cost { best = (cost, start, rise) }
      }
    }
    return (best.start, best.rise)
  }

  private static let log2e = 1.4426950408889634

  /// Where a change of variance is most likely.
  private static func split(_ squares: ArraySlice<Double>) -> Int {
    let total = squares.reduce(0, +)
    let least = max(1e-14, 1e-9 * total / Double(squares.count))
    var (sum, best, split) = (0.0, Double.infinity, 0)
    for (place, square) in squares.enumerated() {
      if place >= 4, place <= squares.count - 4 {
        let (left, right) = (Double(place), Double(squares.count - place))
        let cost =
          left * binaryLogarithm(sum / left + least)
          + right * binaryLogarithm((total - sum) / right + least)
        if cost < best { (best, split) = (cost, place) }
      }
      sum += square
    }
    return split
  }
}
