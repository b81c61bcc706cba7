// SPDX-License-Identifier: Apache-2.0

/// Binary segmentation: the step that explains most, then the parts left and right of it.
extension KalmanFilter {
  /// How a series is divided.
  struct Division {
    /// The squares that a step must explain.
    var least: Double
    /// The fewest nights of a level.
    var fewestNights: Int
    /// Whether a line may stand for several steps: a drift, and no stair.
    var hasLines = true
    /// Whether the parts of a range without a step are looked at for themselves.
    var isSeeded = false
  }

  /// The shortest part that is looked at for itself, in nights.
  private static let shortestPart = 16
  /// What a step beside a line must explain, in multiples of what is asked of one without: what
  /// cuts a drift in pieces looks like steps.
  private static let besideLine = 2.0

  /// The place where a step explains most; of equal ones the first.
  ///
  /// Beside the line, where that explains more than any step and more than is asked.
  private mutating func best(
    in range: Range<Int>, _ division: Division
  ) -> (place: Int, explained: Double, isBesideLine: Bool)? {
    let fewest = division.fewestNights
    guard range.count >= 2 * fewest else { return nil }
    let all = scan(range)
    var best = (place: fewest, explained: step(at: fewest).explained, isBesideLine: false)
    for place in fewest + 1..<range.count - fewest + 1 {
      let explained = step(at: place).explained
      if explained > best.explained { best = (place, explained, false) }
    }
    if division.hasLines, all.explained > best.explained, all.explained > division.least {
      best = (fewest, stepBesideLine(at: fewest, all), true)
      for place in fewest + 1..<range.count - fewest + 1 {
        let explained = stepBesideLine(at: place, all)
        if explained > best.explained { best = (place, explained, true) }
      }
      best.explained /= Self.besideLine
    }
    best.place += range.lowerBound
    return best
  }

  /// The same in parts of half the length, half overlapping, aligned to the end; where none of them
  /// has a step, in parts of a quarter, and so on.
  ///
  /// Seeded intervals: Kovacs and others, "Seeded Binary Segmentation", Biometrika 110 (2023).
  private mutating func bestOfParts(
    of range: Range<Int>, _ division: Division
  ) -> (place: Int, explained: Double)? {
    var best: (place: Int, explained: Double)?
    var length = range.count / 2
    while length >= Self.shortestPart, best?.explained ?? 0 < division.least {
      for end in stride(from: range.upperBound, through: range.lowerBound + length, by: -length / 2)
      {
        guard let part = self.best(in: end - length..<end, division) else { continue }
        if part.explained > best?.explained ?? 0 { best = (part.place, part.explained) }
      }
      length /= 2
    }
    return best
  }

  /// The first nights of the levels but the first, ascending; and whether a line came into play.
  mutating func divided(_ division: Division) -> (splits: [Int], hasLine: Bool) {
    var splits: [Int] = []
    var hasLine = false
    var ranges = [values.indices]
    while let range = ranges.popLast() {
      guard let whole = best(in: range, division) else { continue }
      hasLine = hasLine || whole.isBesideLine
      var (place, explained) = (whole.place, whole.explained)
      if division.isSeeded, explained < division.least,
        let part = bestOfParts(of: range, division), part.explained > explained
      {
        (place, explained) = (part.place, part.explained)
      }
      guard explained >= division.least else { continue }
      splits.append(place)
      ranges.append(range.lowerBound..<place)
      ranges.append(place..<range.upperBound)
    }
    splits.sort()
    return (splits, hasLine)
  }
}
