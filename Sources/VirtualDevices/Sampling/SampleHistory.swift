/// The newest samples of a signal, found by their index since the start.
///
/// Samples before the start are zeros, as many as were asked for.
struct SampleHistory: Sendable {
  private var samples: [Float]
  private var base: Int

  /// Makes an empty history that can be read `lead` samples before the start.
  init(lead: Int) {
    samples = []
    samples.reserveCapacity(lead + 16_384)
    samples.append(contentsOf: repeatElement(0, count: lead))
    base = -lead
  }

  /// The index that the next sample gets.
  var end: Int { base + samples.count }

  /// Appends samples.
  mutating func append(_ new: ArraySlice<Float>) { samples.append(contentsOf: new) }

  /// Appends zeros up to an index.
  mutating func pad(to index: Int) {
    guard index > end else { return }
    samples.append(contentsOf: repeatElement(0, count: index - end))
  }

  /// Turns every sample from an index on into zero.
  mutating func clear(from index: Int) {
    guard index < end else { return }
    for place in max(0, index - base)..<samples.count { samples[place] = 0 }
  }

  /// Lets go of samples before an index, once there are enough of them to be worth the move.
  mutating func forget(before index: Int) {
    let count = index - base
    guard count >= 8192 else { return }
    samples.removeFirst(count)
    base += count
  }

  /// Calls with a range of samples; traps if they are not there.
  func withSamples<Result>(
    _ range: Range<Int>, _ body: (UnsafeBufferPointer<Float>) -> Result
  ) -> Result {
    precondition(
      range.lowerBound >= base && range.upperBound <= end,
      "samples \(range) are asked of \(base)..<\(end)")
    return samples.withUnsafeBufferPointer { all in
      body(
        UnsafeBufferPointer(
          rebasing: all[(range.lowerBound - base)..<(range.upperBound - base)]))
    }
  }
}
