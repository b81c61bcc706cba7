import Synchronization

/// Events on their way from a real-time loop to whoever tells them; one thread at each end.
///
/// Neither end waits; noting allocates nothing. What finds no room is one event over all of it, told with
/// the next one that finds some: too much is marked, never too little.
public struct EventRing: ~Copyable, @unchecked Sendable {
  // Sendable: a record between the counters belongs to one end, the counters are atomic.
  private struct Record {
    var kind: StreamEvent.Kind
    var frame: Int
    var length: Int
  }

  private let records: UnsafeMutablePointer<Record>
  private let capacity: Int
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)
  /// The writer's own: what found no room, until there is some; without length, nothing.
  private let waiting: UnsafeMutablePointer<Record>

  /// Makes a ring for so many events at a time.
  public init(capacity: Int = 1024) {
    precondition(capacity > 0, "a ring needs room for an event, not \(capacity)")
    self.capacity = capacity
    records = .allocate(capacity: capacity)
    records.initialize(
      repeating: Record(kind: .drop, frame: 0, length: 0), count: capacity)
    waiting = .allocate(capacity: 1)
    waiting.initialize(to: Record(kind: .drop, frame: 0, length: 0))
  }

  deinit {
    records.deallocate()
    waiting.deallocate()
  }

  /// Notes an event; *render thread*, one at a time; wait-free.
  @_noAllocation @_noLocks
  public func note(_ kind: StreamEvent.Kind, frame: Int, length: Int) {
    guard length > 0 else { return }
    var record = Record(kind: kind, frame: frame, length: length)
    if waiting.pointee.length > 0 {
      let older = waiting.pointee
      let end = frame + length
      let olderEnd = older.frame + older.length
      record.frame = older.frame < frame ? older.frame : frame
      record.length = (end > olderEnd ? end : olderEnd) - record.frame
    }
    let place = written.load(ordering: .relaxed)
    guard place - read.load(ordering: .acquiring) < capacity else {
      waiting.pointee = record
      return
    }
    waiting.pointee.length = 0
    records[place % capacity] = record
    written.store(place + 1, ordering: .releasing)
  }

  /// Takes what was noted since the last call, in the order of noting.
  ///
  /// One thread at a time.
  public func take() -> [StreamEvent] {
    var events: [StreamEvent] = []
    var place = read.load(ordering: .relaxed)
    let end = written.load(ordering: .acquiring)
    while place < end {
      let record = records[place % capacity]
      events.append(StreamEvent(kind: record.kind, frame: record.frame, length: record.length))
      place += 1
    }
    read.store(place, ordering: .releasing)
    return events
  }
}
