/// How late a device's thread woke, counted by powers of two: by how much each wake-up came after the
/// moment at which a side had a period of frames to be moved.
public struct JitterHistogram: Sendable, Hashable {
  /// Bin 0 counts below 1 us, bin k from 2^(k-1) us to below 2^k us, the last one all above.
  public static let binCount = 24

  /// The count in every bin.
  public let counts: [Int]
  /// The largest lateness, in seconds.
  public let largest: Double

  /// Makes a histogram of `binCount` bins.
  public init(counts: [Int], largest: Double) {
    precondition(
      counts.count == Self.binCount, "a histogram has \(Self.binCount) bins, not \(counts.count)")
    self.counts = counts
    self.largest = largest
  }

  /// How many wake-ups were counted.
  public var total: Int { counts.reduce(0, +) }

  /// The upper end of a bin, in seconds.
  public static func upperEnd(ofBin bin: Int) -> Double { Double(1 << bin) * 1e-6 }

  /// The lateness that a share of the wake-ups stayed within, in seconds; `nil` without any.
  ///
  /// It is a bin's upper end, so at most twice too much, and never more than `largest`.
  public func bound(ofShare share: Double) -> Double? {
    guard total > 0 else { return nil }
    var seen = 0
    for (bin, count) in counts.enumerated() {
      seen += count
      if Double(seen) >= share * Double(total) { return min(Self.upperEnd(ofBin: bin), largest) }
    }
    return largest
  }
}
