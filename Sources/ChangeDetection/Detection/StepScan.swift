// SPDX-License-Identifier: Apache-2.0

/// Steps at every place of a range, by one pass of the filter and one back.
///
/// The step shock smoother: de Jong and Penzer, "Diagnosing Shocks in Time Series", Journal of the
/// American Statistical Association 93 (1998). What it gives is generalized least squares, in O(n)
/// for all places.
extension KalmanFilter {
  /// A range's level, and the line through it.
  struct Level {
    /// The level by generalized least squares, without a line.
    var value = 0.0
    /// 1 over its variance, where that of a night is 1.
    var precision = 0.0
    /// What the line rises in a day, and about which day.
    var slope = 0.0
    var middle = 0.0
    /// What the line explains, in squares.
    var explained = 0.0
    /// Sums over the range that the steps are held against.
    fileprivate var sums = (lineOfLevel: 0.0, valueOfLevel: 0.0, line: 0.0, valueOfLine: 0.0)
  }

  /// A step, its variance where that of a night is 1, and what it explains, in squares.
  typealias Step = (size: Double, variance: Double, explained: Double)

  /// The line's unit, in days.
  private static let unit = 100.0
  /// 1 over the prior variance of a line's slope, which is normal with six deviations a year: a
  /// line cannot pass for a step in a short series and is free in a long one.
  private static let slopePrecision = (365 / unit / 6) * (365 / unit / 6)
  /// The least share of a step's precision that a level, or a line, may leave of it.
  private static let leastOfStep = (level: 1e-9, line: 1e-6)

  /// Fits the level and the line of a range.
  mutating func level(of range: Range<Int>) -> Level {
    makeReady(range)
    let (days, values) = (days, values)
    let middle = days[(range.lowerBound + range.upperBound) / 2]
    let origin = values[(range.lowerBound + range.upperBound) / 2]
    var foretold = (level: 0.0, line: 0.0, value: 0.0)
    var (cc, cl, cy, ll, ly) = (0.0, 0.0, 0.0, 0.0, 0.0)
    var nights = nights.mutableSpan
    for place in 0..<range.count {
      var night = nights[place]
      let c = 1 - foretold.level
      let l = (days[range.lowerBound + place] - middle) / Self.unit - foretold.line
      let y = values[range.lowerBound + place] - origin - foretold.value
      foretold.level = night.link * (foretold.level + night.gain * c)
      foretold.line = night.link * (foretold.line + night.gain * l)
      foretold.value = night.link * (foretold.value + night.gain * y)
      (night.level, night.line, night.value) = (c, l, y)
      nights[place] = night
      let (ch, lh) = (c * night.precision, l * night.precision)
      cc += c * ch
      cl += l * ch
      cy += y * ch
      ll += l * lh
      ly += y * lh
    }
    ll += Self.slopePrecision - cl * cl / cc
    ly -= cl * cy / cc
    return Level(
      value: origin + cy / cc, precision: cc, slope: ly / ll / Self.unit, middle: middle,
      explained: ly * ly / ll, sums: (cl / cc, cy / cc, ll, ly / ll))
  }

  /// Scans a range for steps, to be asked for by `step` and `stepBesideLine` until the next call.
  ///
  /// Going back, p = f + p - A q and q = f + B q with A = L K, B = L - A and f each column's
  /// weighted innovation are the column's products with a step at the night; alpha, beta, gamma
  /// likewise those of the step with itself. Of the night then remain the products with the level
  /// taken out.
  mutating func scan(_ range: Range<Int>) -> Level {
    let all = level(of: range)
    var p = (level: 0.0, line: 0.0, value: 0.0)
    var q = p
    var (alpha, beta, gamma) = (0.0, 0.0, 0.0)
    var nights = nights.mutableSpan
    var place = range.count - 1
    while place > 0 {
      var night = nights[place]
      let h = night.precision
      let a = night.link * night.gain
      let b = night.link - a
      p.level += night.level * h - q.level * a
      p.line += night.line * h - q.line * a
      p.value += night.value * h - q.value * a
      q.level = night.level * h + q.level * b
      q.line = night.line * h + q.line * b
      q.value = night.value * h + q.value * b
      alpha += h - 2 * beta * a + gamma * a * a
      beta = h + beta * b - gamma * a * b
      gamma = h + gamma * b * b
      night.level = alpha - p.level * p.level / all.precision
      night.line = p.line - p.level * all.sums.lineOfLevel
      night.value = p.value - p.level * all.sums.valueOfLevel
      nights[place] = night
      place -= 1
    }
    return all
  }

  /// The step at a place, counted from the start of the range last scanned.
  func step(at place: Int) -> Step {
    let night = nights[place]
    guard night.level > Self.leastOfStep.level else { return (0, 0, 0) }
    let size = night.value / night.level
    return (size, 1 / night.level, size * night.value)
  }

  /// What the step explains beyond the line, in squares.
  func stepBesideLine(at place: Int, _ all: Level) -> Double {
    let night = nights[place]
    let precision = night.level - night.line * night.line / all.sums.line
    guard night.level > Self.leastOfStep.level, precision > Self.leastOfStep.line * night.level
    else { return 0 }
    let product = night.value - night.line * all.sums.valueOfLine
    return product * product / precision
  }
}
