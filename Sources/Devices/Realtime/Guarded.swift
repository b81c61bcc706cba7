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
