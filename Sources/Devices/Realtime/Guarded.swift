// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A value that one thread at a time reaches.
///
/// A `Mutex` whose hand-over the thread sanitizer sees: where threads meet, the kernel hands a `Mutex` of
/// Swift 6.3.1 on, which the sanitizer does not watch, so that it would tell of races that are none.
public struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let handover = Atomic<Bool>(false)

  /// Guards a value.
  @inlinable
  public init(_ value: consuming sending Value) { mutex = Mutex(value) }

  /// Holds the lock for as long as `body` runs.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}

/// The latest look at a clock, written by one thread and read by any, neither waiting for the other.
public struct ClockCell: ~Copyable, Sendable {
  /// Odd while the two values are being changed.
  private let turn = Atomic<UInt>(0)
  private let frame = Atomic<Int>(0)
  private let nanoseconds = Atomic<UInt64>(0)

  /// Makes a cell that holds nothing.
  public init() {}

  /// Puts a pair in; *render thread*, one at a time; wait-free.
  @_noAllocation @_noLocks
  public func store(frame: Int, nanoseconds: UInt64) {
    let now = turn.load(ordering: .relaxed)
    turn.store(now &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    self.frame.store(frame, ordering: .relaxed)
    self.nanoseconds.store(nanoseconds, ordering: .relaxed)
    turn.store(now &+ 2, ordering: .releasing)
  }

  /// Forgets the pair; while nobody stores.
  public func clear() { turn.store(0, ordering: .releasing) }

  /// Takes the latest pair, or `nil` where there is none.
  ///
  /// Any thread.
  public func load() -> ClockReading? {
    while true {
      let before = turn.load(ordering: .acquiring)
      if before == 0 { return nil }
      let reading = ClockReading(
        frame: frame.load(ordering: .relaxed),
        nanoseconds: nanoseconds.load(ordering: .relaxed))
      atomicMemoryFence(ordering: .acquiring)
      if before.isMultiple(of: 2), turn.load(ordering: .relaxed) == before { return reading }
    }
  }
}
