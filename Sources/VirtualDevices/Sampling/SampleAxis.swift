/// Where equally spaced indices fall on another count: position = offset + index * increment.
///
/// The two counts run side by side but for a drift: indices that lie `stride` apart lie `advance`
/// samples and a small `drift` apart.
struct SampleAxis: Sendable {
  /// The position of index 0, no less than a million before the start.
  let offset: Double
  /// The way from one index to the next.
  let increment: Double
  /// How many indices lie between two that see the samples at the same phase, drift apart.
  let stride: Int
  /// The whole samples between two such indices.
  let advance: Int

  /// Makes an axis of about `advance` samples to `stride` indices.
  init(offset: Double, increment: Double, stride: Int = 1, advance: Int = 1) {
    self.offset = offset
    self.increment = increment
    self.stride = stride
    self.advance = advance
  }

  /// The samples, far less than one, by which `stride` indices miss `advance` samples.
  var drift: Double { increment * Double(stride) - Double(advance) }

  /// True where the indices are samples themselves.
  var isWhole: Bool { increment == 1 && offset == offset.rounded() }

  /// The sample at or before the position of an index, and the way on from there.
  func split(_ index: Int) -> (whole: Int, fraction: Double) {
    // Shifted to be positive, where a conversion rounds down without a call.
    let position = (offset + 0x1p20) + Double(index) * increment
    let whole = Int(position)
    return (whole - (1 << 20), position - Double(whole))
  }
}
