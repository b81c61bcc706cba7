// SPDX-License-Identifier: Apache-2.0

/// How the values of one reading scatter over a run: what a histogram is drawn of.
public struct ReadingDistribution: Sendable, Equatable {
  /// The values less the mean of their group, rising.
  public let deviations: [Double]
  /// Their standard deviation, each group's mean counted as a number that was taken.
  public let deviation: Double
  /// The median of their sizes.
  public let medianDeviation: Double

  /// Gathers values in groups; nil where no group has more than one, which say nothing of a scatter.
  init?(_ groups: [[Double]]) {
    let groups = groups.filter { $0.count > 1 }
    guard !groups.isEmpty else { return nil }
    let all = groups.flatMap { group in
      let mean = group.reduce(0, +) / Double(group.count)
      return group.map { $0 - mean }
    }
    deviations = all.sorted()
    let freedom = Double(all.count - groups.count)
    deviation = (all.reduce(0) { $0 + $1 * $1 } / freedom).squareRoot()
    let sizes = all.map(abs).sorted()
    let middle = sizes.count / 2
    medianDeviation =
      sizes.count.isMultiple(of: 2) ? (sizes[middle - 1] + sizes[middle]) / 2 : sizes[middle]
  }

  /// The counts of an odd number of bins of one width, the middle of the middle one at zero.
  ///
  /// The outermost hold the largest deviations; where nothing scatters the width is zero and all are in the middle.
  public func histogram(bins count: Int) -> (width: Double, counts: [Int]) {
    let half = max(1, count / 2)
    let largest = max(abs(deviations.first ?? 0), abs(deviations.last ?? 0))
    let width = largest / (Double(half) + 0.5)
    var counts = [Int](repeating: 0, count: 2 * half + 1)
    for deviation in deviations {
      let place = width > 0 ? Int((deviation / width).rounded()) : 0
      counts[half + max(-half, min(half, place))] += 1
    }
    return (width, counts)
  }
}

extension RunRecord {
  /// How the values of a reading scatter, over takes and repeats; `nil` where nothing was measured twice.
  ///
  /// Readings of an event are compared with those of the same event in other takes; readings of a take
  /// with those of all takes, since what they tell (a delay, a drift) is the rig's.
  public func distribution(of name: ReadingName) -> ReadingDistribution? {
    struct Key: Hashable {
      let pattern: String?
      let event: Int?
    }
    var groups: [Key: [Double]] = [:]
    var order: [Key] = []
    for reading in readings where reading.name == name && reading.take != nil {
      guard let value = reading.value else { continue }
      let key = Key(pattern: reading.event == nil ? nil : reading.pattern, event: reading.event)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(value)
    }
    return ReadingDistribution(order.map { groups[$0] ?? [] })
  }
}
