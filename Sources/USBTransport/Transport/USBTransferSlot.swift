// SPDX-License-Identifier: Apache-2.0

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
  /// The queue's own, whatever thread tells the end.
  var state: State
  package var native: UnsafeMutableRawPointer?

  let completions: UnsafeMutablePointer<CompletionRing>

  /// Who has the transfer.
  enum State {
    case idle
    /// The bus, or nobody took its end yet.
    case inFlight
    case taken
  }

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

/// The transfers of a queue in their memory, which stays until nobody holds the queue or a completion of it.
///
/// For one thread, but for what a back end tells by `USBTransferSlot.complete`.
final class USBTransfers: @unchecked Sendable {
  // Sendable: the slots are the queue's thread's, the ring is made for two.
  let claims: USBClaims
  let slots: UnsafeMutablePointer<USBTransferSlot>
  let completions: UnsafeMutablePointer<CompletionRing>
  private(set) var submitted = 0
  private let memory: UnsafeMutableRawPointer
  private let count: Int
  /// Transfers that the back end has made ready.
  private var prepared = 0

  init(
    _ claims: USBClaims, endpoint: USBEndpoint, count: Int, bytes: Int, milliseconds: UInt32
  ) throws(USBFailure) {
    precondition(count > 0 && bytes > 0, "a queue needs a transfer of a byte")
    memory = UnsafeMutableRawPointer.allocate(byteCount: count * bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count * bytes)
    completions = .allocate(capacity: 1)
    completions.initialize(to: CompletionRing(capacity: count))
    slots = .allocate(capacity: count)
    self.claims = claims
    self.count = count
    for index in 0..<count {
      let part = UnsafeMutableRawBufferPointer(start: memory + index * bytes, count: bytes)
      (slots + index).initialize(
        to: USBTransferSlot(
          index: index, bytes: part, endpoint: endpoint, timeout: milliseconds, length: 0,
          actual: 0, failure: nil, number: 0, submitted: 0, completed: 0, state: .idle,
          native: nil, completions: completions))
    }
    while prepared < count {
      try claims.port.prepare(slots + prepared)
      prepared += 1
    }
  }

  deinit {
    cancelAll()
    // What does not come back is left to the bus: memory that a controller may still write to must not
    // be used for anything else.
    guard drain(milliseconds: 2000) else { return }
    for index in 0..<prepared { claims.port.dispose(slots + index) }
    completions.deinitialize(count: 1)
    completions.deallocate()
    slots.deallocate()
    memory.deallocate()
  }

  var inFlight: Int { submitted - completions.pointee.total }

  var idleCount: Int { (0..<count).count { slots[$0].state == .idle } }

  var idlePlace: Int? { (0..<count).first { slots[$0].state == .idle } }

  func submit(_ place: Int, length: Int) throws(USBFailure) {
    let slot = slots + place
    slot.pointee.length = length
    slot.pointee.actual = 0
    slot.pointee.number = submitted
    slot.pointee.state = .inFlight
    slot.pointee.submitted = claims.port.backend.clock()
    do throws(USBFailure) {
      try claims.port.submit(slot)
    } catch {
      slot.pointee.state = .idle
      throw error
    }
    submitted += 1
  }

  func cancelAll() {
    // The newest first: the one that is being moved ends last, and no later one takes its place.
    let left = (0..<count).filter { slots[$0].state == .inFlight }
    for index in left.sorted(by: { slots[$0].number > slots[$1].number }) {
      claims.port.cancel(slots + index)
    }
  }

  /// Waits until the bus has let go of everything; false where it has not in time.
  func drain(milliseconds: Int) -> Bool {
    let backend = claims.port.backend
    let end = backend.clock() + UInt64(milliseconds) * 1_000_000
    while inFlight > 0 {
      guard backend.clock() < end else { return false }
      // A failure to serve leaves the loop to its time.
      try? backend.serveEvents(microseconds: 10_000)
    }
    return true
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
