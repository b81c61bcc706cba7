import ChangeDetection

/// A series as one line of block characters: a night, or the median of some, a character.
enum TextSparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// Draws values over days; days without a night are blank.
  ///
  /// - Parameters:
  ///   - nights: The nights, ascending.
  ///   - days: The first and the last day.
  ///   - width: The most characters; fewer days than that get one each.
  /// - Returns: The line; a level that never moves is drawn low.
  static func text(_ nights: [Night], days: ClosedRange<Int>, width: Int) -> String {
    let columns = min(width, days.count)
    guard columns > 0 else { return "" }
    var values = [[Double]](repeating: [], count: columns)
    for night in nights where days.contains(night.day) {
      values[(night.day - days.lowerBound) * columns / days.count].append(night.value)
    }
    let middles = values.map { column -> Double? in
      let sorted = column.sorted()
      return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }
    let known = middles.compactMap(\.self)
    guard let lowest = known.min(), let highest = known.max() else {
      return String(repeating: " ", count: columns)
    }
    return String(
      middles.map { middle -> Character in
        guard let middle else { return " " }
        guard highest > lowest else { return blocks[0] }
        let share = (middle - lowest) / (highest - lowest)
        return blocks[min(blocks.count - 1, Int(share * Double(blocks.count)))]
      })
  }
}
