/// What several modules ask of a list of numbers.
public enum Statistics {
  /// The median, for an even count the mean of the two in the middle; traps on an empty list.
  public static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    // Half of each, so that two large values do not add up to infinity.
    return sorted.count.isMultiple(of: 2)
      ? sorted[middle - 1] / 2 + sorted[middle] / 2 : sorted[middle]
  }
}
