// SPDX-License-Identifier: Apache-2.0

/// What belongs to the day of the week and not to the product: a quiet house on Sundays.
struct WeeklyPattern {
  /// What each day, `day` modulo 7, lies above the week's mean; `nil` where no pattern is sure.
  let offsets: [Double]?

  private static let fewestWeeks = 4
  /// Of chi-square with six degrees of freedom: 4 in 100,000.
  private static let bound = 30.0

  /// Looks for a pattern.
  ///
  /// The medians by weekday of the differences from a running median over seven nights, held
  /// against their uncertainty: the sum of n m^2 / (pi / 2 s^2), s being Huber's scale of what they
  /// leave.
  init(days: [Int], values: [Double]) {
    offsets = Self.offsets(days: days, values: values)
  }

  private static func offsets(days: [Int], values: [Double]) -> [Double]? {
    guard values.count >= 7 * fewestWeeks else { return nil }
    let level = LoneOutliers.runningMedian(of: values, width: 7)
    var groups = [[Double]](repeating: [], count: 7)
    for index in values.indices {
      groups[weekday(days[index])].append(values[index] - level[index])
    }
    let medians = groups.compactMap(Robust.median)
    guard medians.count == 7 else { return nil }
    let mean = medians.reduce(0, +) / 7
    let offsets = medians.map { $0 - mean }
    let rest = groups.indices.flatMap { day in groups[day].map { $0 - medians[day] } }
    let deviation = Robust.scale(rest)
    let strength = groups.indices.reduce(0) { sum, day in
      sum + Double(groups[day].count) * offsets[day] * offsets[day]
    }
    return strength > bound * 0.5 * Double.pi * deviation * deviation ? offsets : nil
  }

  func removed(from value: Double, on day: Int) -> Double {
    guard let offsets else { return value }
    return value - offsets[Self.weekday(day)]
  }

  private static func weekday(_ day: Int) -> Int { ((day % 7) + 7) % 7 }
}
