import Synchronization

/// A fixed queue of samples between one thread that writes and one that reads.
///
/// The two ends are noncopyable values, each for one thread; neither waits, allocates or locks, and
/// each sees the other's work through one atomic counter. Take the ends apart with
/// `let producer = queue.producer; let consumer = queue.consumer`.
@frozen
public struct SampleQueue: ~Copyable {
  /// The end that writes.
  public let producer: SampleProducer
  /// The end that reads.
  public let consumer: SampleConsumer

  /// Makes a queue that holds at least `capacity` samples.
  public init(capacity: Int) {
    precondition(capacity > 0, "a queue needs room for a sample, not \(capacity)")
    let storage = QueueStorage.make(capacity: capacity)
    producer = SampleProducer(storage: storage)
    consumer = SampleConsumer(storage: storage)
  }
}

/// The end of a queue that writes; one thread at a time.
public struct SampleProducer: ~Copyable, @unchecked Sendable {
  // Sendable: the storage's samples between the counters belong to one end, the counters are atomic.
  fileprivate let storage: UnsafeMutablePointer<QueueStorage>

  fileprivate init(storage: UnsafeMutablePointer<QueueStorage>) { self.storage = storage }

  deinit { QueueStorage.release(storage) }

  /// How many samples fit now.
  public var room: Int {
    @_noAllocation @_noLocks
    get {
      storage.pointee.capacity
        - (storage.pointee.written.load(ordering: .relaxed)
          - storage.pointee.read.load(ordering: .acquiring))
    }
  }

  /// Writes as many samples as fit and returns how many.
  ///
  /// *Any thread*, one at a time; wait-free.
  @_noAllocation @_noLocks
  public borrowing func write(_ samples: Span<Float>) -> Int {
    let written = storage.pointee.written.load(ordering: .relaxed)
    let read = storage.pointee.read.load(ordering: .acquiring)
    let room = storage.pointee.capacity - (written - read)
    let count = samples.count < room ? samples.count : room
    for index in 0..<count {
      storage.pointee.samples[(written + index) & storage.pointee.mask] = samples[index]
    }
    storage.pointee.written.store(written + count, ordering: .releasing)
    return count
  }

  /// Writes zeros, for which the caller knows that there is room.
  @_noAllocation @_noLocks
  borrowing func writeZeros(_ count: Int) {
    let written = storage.pointee.written.load(ordering: .relaxed)
    for index in 0..<count {
      storage.pointee.samples[(written + index) & storage.pointee.mask] = 0
    }
    storage.pointee.written.store(written + count, ordering: .releasing)
  }
}

/// The end of a queue that reads; one thread at a time.
public struct SampleConsumer: ~Copyable, @unchecked Sendable {
  // Sendable: the storage's samples between the counters belong to one end, the counters are atomic.
  fileprivate let storage: UnsafeMutablePointer<QueueStorage>

  fileprivate init(storage: UnsafeMutablePointer<QueueStorage>) { self.storage = storage }

  deinit { QueueStorage.release(storage) }

  /// How many samples are there now.
  public var available: Int {
    @_noAllocation @_noLocks
    get {
      storage.pointee.written.load(ordering: .acquiring)
        - storage.pointee.read.load(ordering: .relaxed)
    }
  }

  /// Reads as many samples as are there and fit, and returns how many.
  ///
  /// *Any thread*, one at a time; wait-free.
  @_noAllocation @_noLocks
  public borrowing func read(into samples: inout MutableSpan<Float>) -> Int {
    let read = storage.pointee.read.load(ordering: .relaxed)
    let written = storage.pointee.written.load(ordering: .acquiring)
    let available = written - read
    let count = samples.count < available ? samples.count : available
    for index in 0..<count {
      samples[index] = storage.pointee.samples[(read + index) & storage.pointee.mask]
    }
    storage.pointee.read.store(read + count, ordering: .releasing)
    return count
  }
}

/// What both ends share; freed by the last of them.
private struct QueueStorage: ~Copyable {
  let samples: UnsafeMutablePointer<Float>
  let capacity: Int
  let mask: Int
  /// Samples ever written and ever read: they never wrap in a lifetime.
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let ends = Atomic<Int>(2)

  static func make(capacity: Int) -> UnsafeMutablePointer<QueueStorage> {
    var size = 1
    while size < capacity { size *= 2 }
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: size)
    samples.initialize(repeating: 0, count: size)
    let storage = UnsafeMutablePointer<QueueStorage>.allocate(capacity: 1)
    storage.initialize(to: QueueStorage(samples: samples, capacity: size, mask: size - 1))
    return storage
  }

  static func release(_ storage: UnsafeMutablePointer<QueueStorage>) {
    guard storage.pointee.ends.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
      return
    }
    storage.pointee.samples.deallocate()
    storage.deinitialize(count: 1)
    storage.deallocate()
  }
}
