import Devices
import Synchronization

/// Counts times from submit to completion by powers of two, without locks or allocation.
///
/// One thread counts at a time, any thread looks.
struct LatencyMeter: ~Copyable {
  private let bins: [24 of Atomic<Int>]
  private let largest = Atomic<UInt64>(0)

  /// Makes a meter that has counted nothing.
  init() {
    bins = .init { _ in Atomic(0) }
  }

  /// Counts one time in nanoseconds; wait-free.
  @_noAllocation @_noLocks
  func count(nanoseconds: UInt64) {
    let microseconds = nanoseconds / 1000
    let width = UInt64.bitWidth - microseconds.leadingZeroBitCount
    let bin = width < 23 ? width : 23
    let seen = bins[bin].load(ordering: .relaxed)
    bins[bin].store(seen &+ 1, ordering: .relaxed)
    if nanoseconds > largest.load(ordering: .relaxed) {
      largest.store(nanoseconds, ordering: .relaxed)
    }
  }

  /// What was counted so far: bin 0 below 1 us, bin k from 2^(k-1) us to below 2^k us.
  var histogram: JitterHistogram {
    var counts: [Int] = []
    for bin in 0..<JitterHistogram.binCount { counts.append(bins[bin].load(ordering: .relaxed)) }
    return JitterHistogram(
      counts: counts, largest: Double(largest.load(ordering: .relaxed)) * 1e-9)
  }
}
