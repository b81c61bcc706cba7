import Devices
import Synchronization

/// One transfer's memory: what is asked, what came of it, and the bytes.
///
/// It stays at one address from the making of its queue to the queue's end, since a bus writes to it
/// while it is in flight. Between `submit` and the completion only the back end touches it.
public struct USBTransferSlot {
  package let index: Int
  package let bytes: UnsafeMutableRawBufferPointer
  package let endpoint: USBEndpoint
  /// Milliseconds until the transfer is given up; 0 waits for ever.
  package let timeout: UInt32
  package var length: Int
  package internal(set) var actual: Int
  /// Why it did not end well; `nil` for everything asked for, or a short packet before.
  package internal(set) var failure: USBFailure?
  package internal(set) var number: Int
  package internal(set) var submitted: UInt64
  package internal(set) var completed: UInt64
  /// Whether it was submitted and its end not taken yet; the queue's own, whatever thread tells the end.
  package internal(set) var isInFlight: Bool
  package var native: UnsafeMutableRawPointer?

  let completions: UnsafeMutablePointer<CompletionRing>

  /// Gives the transfer back to its queue; the back end calls this once for each submission.
  ///
  /// In the thread that serves events, which may be that of another queue of the same bus; wait-free, and its
  /// latency is counted.
  @_noAllocation @_noLocks
  package mutating func complete(_ failure: USBFailure?, actual: Int, at nanoseconds: UInt64) {
    self.failure = failure
    self.actual = actual
    completed = nanoseconds
    completions.pointee.meter.count(
      nanoseconds: nanoseconds > submitted ? nanoseconds - submitted : 0)
    completions.pointee.push(index)
  }
}

/// The transfers that ended, in the order of their ends; whoever serves events writes, the queue reads.
struct CompletionRing: ~Copyable {
  let meter = LatencyMeter()
  private let places: UnsafeMutablePointer<Int>
  private let capacity: Int
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)

  init(capacity: Int) {
    self.capacity = capacity
    places = .allocate(capacity: capacity)
    places.initialize(repeating: 0, count: capacity)
  }

  deinit { places.deallocate() }

  var total: Int {
    @_noAllocation @_noLocks
    get { written.load(ordering: .acquiring) }
  }

  /// Notes an end; there is room for every transfer of the queue.
  @_noAllocation @_noLocks
  func push(_ index: Int) {
    let place = written.load(ordering: .relaxed)
    places[place % capacity] = index
    written.store(place &+ 1, ordering: .releasing)
  }

  /// Takes the oldest end, or -1 where there is none.
  @_noAllocation @_noLocks
  func pop() -> Int {
    let place = read.load(ordering: .relaxed)
    if place == written.load(ordering: .acquiring) { return -1 }
    let index = places[place % capacity]
    read.store(place &+ 1, ordering: .releasing)
    return index
  }
}

/// Counts times from submit to completion by powers of two, without locks or allocation.
///
/// One thread counts at a time, any thread looks.
struct LatencyMeter: ~Copyable {
  private let bins: [24 of Atomic<Int>]
  private let largest = Atomic<UInt64>(0)

  init() {
    bins = .init { _ in Atomic(0) }
  }

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
