/// Reads ranges of samples that follow one another: what is beside one range is there for the next.
public struct SampleReader {
  private let samples: Samples
  private var first = 0
  private var block: [Float] = []

  /// Samples that are read ahead.
  private static let ahead = 1 << 15

  /// Begins to read.
  public init(_ samples: Samples) { self.samples = samples }

  /// The samples of a range, which must lie inside; valid until the next call.
  public mutating func read(_ range: Range<Int>) -> ArraySlice<Float> {
    if range.lowerBound < first || range.upperBound > first + block.count {
      (first, block) = samples.block(
        from: range.lowerBound, atLeast: Swift.max(range.count, Self.ahead))
    }
    return block[(range.lowerBound - first)..<(range.upperBound - first)]
  }
}
