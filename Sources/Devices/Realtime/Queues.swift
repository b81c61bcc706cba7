// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A fixed queue between one thread that writes and one that reads; neither waits, allocates or locks.
///
/// Each end is a noncopyable value whose calls are `mutating`, so that only its owner reaches it. Take
/// the ends apart with `let producer = queue.producer; let consumer = queue.consumer`. The compiler
/// checks no generic function by itself: these are inlinable, so that every caller marked
/// `@_noAllocation @_noLocks` has them checked for its element.
@frozen
public struct RealtimeQueue<Element: BitwiseCopyable>: ~Copyable {
  /// The end that writes.
  public let producer: Producer
  /// The end that reads.
  public let consumer: Consumer

  /// Makes a queue that holds at least `capacity` elements.
  public init(capacity: Int) {
    precondition(capacity > 0, "a queue needs room for an element, not \(capacity)")
    let storage = QueueStorage<Element>(capacity: capacity)
    producer = Producer(storage: storage)
    consumer = Consumer(storage: storage)
  }

  /// The end that writes.
  public struct Producer: ~Copyable, @unchecked Sendable {
    // Sendable: a slot between the counters belongs to one end, the counters are atomic.
    @usableFromInline let storage: QueueStorage<Element>

    fileprivate init(storage: QueueStorage<Element>) { self.storage = storage }

    deinit { storage.release() }

    /// How many elements fit now.
    @inlinable
    public var room: Int {
      storage.mask + 1
        - (storage.counters.pointee.written.load(ordering: .relaxed)
          - storage.counters.pointee.read.load(ordering: .acquiring))
    }

    /// Puts an element in; false where there is no room.
    @inlinable
    public mutating func push(_ element: Element) -> Bool {
      guard room > 0 else { return false }
      let written = storage.counters.pointee.written.load(ordering: .relaxed)
      storage.slots[written & storage.mask] = element
      storage.counters.pointee.written.store(written + 1, ordering: .releasing)
      return true
    }

    /// Writes as many elements as fit and returns how many.
    @inlinable
    public mutating func write(_ elements: Span<Element>) -> Int {
      let room = room
      let count = elements.count < room ? elements.count : room
      let written = storage.counters.pointee.written.load(ordering: .relaxed)
      for index in 0..<count {
        storage.slots[(written + index) & storage.mask] = elements[index]
      }
      storage.counters.pointee.written.store(written + count, ordering: .releasing)
      return count
    }

    /// Writes one element so many times, as far as there is room, and returns how many times.
    @inlinable
    public mutating func write(repeating element: Element, count: Int) -> Int {
      let room = room
      let count = count < room ? count : room
      let written = storage.counters.pointee.written.load(ordering: .relaxed)
      for index in 0..<count { storage.slots[(written + index) & storage.mask] = element }
      storage.counters.pointee.written.store(written + count, ordering: .releasing)
      return count
    }
  }

  /// The end that reads.
  public struct Consumer: ~Copyable, @unchecked Sendable {
    // Sendable: a slot between the counters belongs to one end, the counters are atomic.
    @usableFromInline let storage: QueueStorage<Element>

    fileprivate init(storage: QueueStorage<Element>) { self.storage = storage }

    deinit { storage.release() }

    /// How many elements are there now.
    @inlinable
    public var available: Int {
      storage.counters.pointee.written.load(ordering: .acquiring)
        - storage.counters.pointee.read.load(ordering: .relaxed)
    }

    /// Takes the oldest element, or `nil` where there is none.
    @inlinable
    public mutating func pop() -> Element? {
      guard available > 0 else { return nil }
      let read = storage.counters.pointee.read.load(ordering: .relaxed)
      let element = storage.slots[read & storage.mask]
      storage.counters.pointee.read.store(read + 1, ordering: .releasing)
      return element
    }

    /// Reads as many elements as are there and fit, and returns how many.
    @inlinable
    public mutating func read(into elements: inout MutableSpan<Element>) -> Int {
      let available = available
      let count = elements.count < available ? elements.count : available
      let read = storage.counters.pointee.read.load(ordering: .relaxed)
      for index in 0..<count { elements[index] = storage.slots[(read + index) & storage.mask] }
      storage.counters.pointee.read.store(read + count, ordering: .releasing)
      return count
    }

    /// Drops all elements that are there.
    @inlinable
    public mutating func clear() {
      let written = storage.counters.pointee.written.load(ordering: .acquiring)
      storage.counters.pointee.read.store(written, ordering: .releasing)
    }
  }
}

/// What both ends hold of their queue; the last of them frees it.
@usableFromInline
struct QueueStorage<Element: BitwiseCopyable> {
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let counters: UnsafeMutablePointer<QueueCounters>
  /// One less than the number of slots, a power of two.
  @usableFromInline let mask: Int

  init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    mask = size - 1
    // Every page is touched now: a first touch while frames are moved would cost the render thread a fault.
    let bytes = size * MemoryLayout<Element>.stride
    let room = UnsafeMutableRawPointer.allocate(
      byteCount: bytes, alignment: MemoryLayout<Element>.alignment)
    room.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    slots = room.bindMemory(to: Element.self, capacity: size)
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: 3 * QueueCounters.lineBytes, alignment: QueueCounters.lineBytes)
    counters = block.initializeMemory(as: QueueCounters.self, to: QueueCounters())
  }

  func release() {
    guard counters.pointee.ends.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
      return
    }
    slots.deallocate()
    UnsafeMutableRawPointer(counters.deinitialize(count: 1)).deallocate()
  }
}

/// The counters of a queue, each on cache lines of its own.
///
/// A core that writes a counter takes its line from every other core: were both on one line, each end
/// would slow the other down with every element. A line has 64 bytes on x86, whose prefetcher fetches
/// them in pairs, and 128 on some ARM cores: hence 128.
@usableFromInline
struct QueueCounters: ~Copyable {
  static var lineBytes: Int { 128 }

  /// Elements ever written and ever read: they never wrap in a lifetime.
  @usableFromInline let written = Atomic<Int>(0)
  private let paddingOfWritten: [15 of Int] = .init(repeating: 0)
  @usableFromInline let read = Atomic<Int>(0)
  private let paddingOfRead: [15 of Int] = .init(repeating: 0)
  let ends = Atomic<Int>(2)
}

// The ends below stand in this file: without optimisation the compiler checks a call of a generic function of the
// same module only where it is in the same file.

/// The way of drive frames from a port to the engine that plays them, and of its events back.
@frozen
public struct DriveQueue: ~Copyable {
  /// The port's end.
  public let writer: DriveWriter
  /// The engine's end.
  public let reader: DriveReader

  /// Makes a queue for at least so many frames of so many channels.
  public init(frames: Int, channels: Int) {
    let samples = RealtimeQueue<Float>(capacity: frames * channels)
    let events = RealtimeQueue<EventNote>(capacity: EventNote.capacity)
    writer = DriveWriter(
      samples: samples.producer, events: EventReader(queue: events.consumer), width: channels)
    reader = DriveReader(
      samples: samples.consumer, events: EventWriter(queue: events.producer), width: channels)
  }
}

/// How much drive waits in the queue of a device that keeps its own time.
public enum DriveSlack: Sendable {
  /// A finger waits for what is sent: as little as a thread at ordinary priority can keep from running dry.
  case touched
  /// What is sent is soon to be played, as a pattern that an app starts.
  case live
  /// Nobody waits for what is sent: the thread that sends may be held up for long, as at ordinary priority.
  case recorded

  /// Seconds of drive; at least, unless it is touched.
  public var seconds: Double {
    switch self {
    case .touched: 0.008
    case .live: 0.25
    case .recorded: 0.5
    }
  }
}

/// The way of captured frames, and of what happened to them, from an engine to a port.
@frozen
public struct CaptureQueue: ~Copyable {
  /// The engine's end.
  public let writer: CaptureWriter
  /// The port's end.
  public let reader: CaptureReader

  /// Makes a queue for at least so many frames of so many channels; without one nothing is written.
  public init(frames: Int, channels: Int) {
    let width = max(1, channels)
    let samples = RealtimeQueue<Float>(capacity: frames * width)
    let events = RealtimeQueue<EventNote>(capacity: EventNote.capacity)
    writer = CaptureWriter(
      samples: samples.producer, events: EventWriter(queue: events.producer), width: width)
    reader = CaptureReader(
      samples: samples.consumer, events: EventReader(queue: events.consumer), width: width)
  }
}

/// A port's end of a drive's queue.
public struct DriveWriter: ~Copyable, Sendable {
  private var samples: RealtimeQueue<Float>.Producer
  private var events: EventReader
  private let width: Int

  fileprivate init(
    samples: consuming RealtimeQueue<Float>.Producer, events: consuming EventReader, width: Int
  ) {
    self.samples = samples
    self.events = events
    self.width = width
  }

  /// How many frames fit now.
  public var room: Int { samples.room / width }

  /// Writes as many whole frames as fit and returns how many; wait-free.
  public mutating func write(_ frames: Span<Float>) -> Int {
    // Half a frame would move every channel after it to its neighbour.
    let room = samples.room / width * width
    return samples.write(frames.extracting(first: room)) / width
  }

  /// Takes what the engine noted since the last call.
  public mutating func takeEvents() -> [StreamEvent] { events.take() }

  /// Looks at what the next `takeEvents` will take.
  public mutating func seenEvents() -> [StreamEvent] { events.look() }
}

/// An engine's end of a drive's queue: for its render thread, wait-free.
public struct DriveReader: ~Copyable, Sendable {
  private var samples: RealtimeQueue<Float>.Consumer
  private var events: EventWriter
  private let width: Int

  fileprivate init(
    samples: consuming RealtimeQueue<Float>.Consumer, events: consuming EventWriter, width: Int
  ) {
    self.samples = samples
    self.events = events
    self.width = width
  }

  /// How many frames are there now.
  public var available: Int { samples.available / width }

  /// Reads as many frames as are there and fit, and returns how many.
  @_noAllocation @_noLocks
  public mutating func read(into frames: inout MutableSpan<Float>) -> Int {
    samples.read(into: &frames) / width
  }

  /// Drops all frames that wait.
  @_noAllocation @_noLocks
  public mutating func clear() { samples.clear() }

  /// Notes what happened to frames.
  @_noAllocation @_noLocks
  public mutating func note(_ kind: StreamEvent.Kind, frame: Int, length: Int) {
    events.note(kind, frame: frame, length: length)
  }
}

/// An engine's end of a capture's queue: whole frames, of which those that were lost, or found no room,
/// stand as zeros.
///
/// So a frame's index is its time, whatever was lost. Wait-free.
public struct CaptureWriter: ~Copyable, Sendable {
  private var samples: RealtimeQueue<Float>.Producer
  private var events: EventWriter
  private let width: Int
  /// Frames of zeros that found no room in the queue yet.
  private var pending = 0

  fileprivate init(
    samples: consuming RealtimeQueue<Float>.Producer, events: consuming EventWriter, width: Int
  ) {
    self.samples = samples
    self.events = events
    self.width = width
  }

  /// How many frames fit now.
  public var room: Int {
    @_noAllocation @_noLocks
    get { samples.room / width }
  }

  /// Forgets what is still to be given, for the next take.
  @_noAllocation @_noLocks
  public mutating func reset() { pending = 0 }

  /// Notes what happened to frames.
  @_noAllocation @_noLocks
  public mutating func note(_ kind: StreamEvent.Kind, frame: Int, length: Int) {
    events.note(kind, frame: frame, length: length)
  }

  /// Lets frames stand as zeros: they were lost.
  @_noAllocation @_noLocks
  public mutating func skip(_ frames: Int) { pending += frames }

  /// Writes whole frames behind the zeros still to be given; false where there was no room, and zeros stand for them.
  @_noAllocation @_noLocks
  public mutating func write(_ frames: Span<Float>) -> Bool {
    flush()
    guard pending == 0, samples.room >= frames.count else {
      pending += frames.count / width
      return false
    }
    _ = samples.write(frames)
    return true
  }

  /// Gives the zeros that found no room, as far as there is room now.
  @_noAllocation @_noLocks
  public mutating func flush() {
    guard pending > 0 else { return }
    let room = room
    let count = pending < room ? pending : room
    pending -= samples.write(repeating: 0, count: count * width) / width
  }
}

/// A port's end of a capture's queue.
public struct CaptureReader: ~Copyable, Sendable {
  private var samples: RealtimeQueue<Float>.Consumer
  private var events: EventReader
  private let width: Int

  fileprivate init(
    samples: consuming RealtimeQueue<Float>.Consumer, events: consuming EventReader, width: Int
  ) {
    self.samples = samples
    self.events = events
    self.width = width
  }

  /// Reads as many frames as are there and fit, and returns how many; wait-free.
  @_noAllocation @_noLocks
  public mutating func read(into frames: inout MutableSpan<Float>) -> Int {
    samples.read(into: &frames) / width
  }

  /// How many frames are there now.
  public var available: Int { samples.available / width }

  /// Drops all frames and events that are there.
  public mutating func clear() {
    samples.clear()
    _ = events.take()
  }

  /// Takes what the engine noted since the last call.
  public mutating func takeEvents() -> [StreamEvent] { events.take() }

  /// Looks at what the next `takeEvents` will take.
  public mutating func seenEvents() -> [StreamEvent] { events.look() }
}

struct EventNote: BitwiseCopyable {
  /// How many are told at a time.
  static let capacity = 1024

  var kind: StreamEvent.Kind
  var frame: Int
  var length: Int
}

/// The end that notes events; what finds no room is one event over all of it, told with the next one
/// that finds some: too much is marked, never too little.
struct EventWriter: ~Copyable, Sendable {
  private var queue: RealtimeQueue<EventNote>.Producer
  /// What found no room, until there is some; without length, nothing.
  private var pending = EventNote(kind: .drop, frame: 0, length: 0)

  init(queue: consuming RealtimeQueue<EventNote>.Producer) { self.queue = queue }

  /// Notes an event; wait-free.
  @_noAllocation @_noLocks
  mutating func note(_ kind: StreamEvent.Kind, frame: Int, length: Int) {
    guard length > 0 else { return }
    var note = EventNote(kind: kind, frame: frame, length: length)
    if pending.length > 0 {
      let (end, olderEnd) = (frame + length, pending.frame + pending.length)
      note.frame = pending.frame < frame ? pending.frame : frame
      note.length = (end > olderEnd ? end : olderEnd) - note.frame
    }
    if queue.push(note) { pending.length = 0 } else { pending = note }
  }
}

struct EventReader: ~Copyable, Sendable {
  private var queue: RealtimeQueue<EventNote>.Consumer
  /// What left the queue and was not taken yet.
  private var seen: [StreamEvent] = []

  init(queue: consuming RealtimeQueue<EventNote>.Consumer) { self.queue = queue }

  /// Takes what was noted since the last call, in the order of noting.
  mutating func take() -> [StreamEvent] {
    defer { seen = [] }
    return look()
  }

  /// What the next `take` will take.
  mutating func look() -> [StreamEvent] {
    while let note = queue.pop() {
      seen.append(StreamEvent(kind: note.kind, frame: note.frame, length: note.length))
    }
    return seen
  }
}
