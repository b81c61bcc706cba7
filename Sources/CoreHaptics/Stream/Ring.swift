import Synchronization

/// The counters of a queue of fixed size between one thread that writes and one that reads.
///
/// A handle that may be copied; whoever made it frees it.
struct RingPlaces: @unchecked Sendable {
  // Sendable: what the pointers lead to is atomic and never changes its place.
  private let written: UnsafeMutablePointer<Atomic<Int>>
  private let read: UnsafeMutablePointer<Atomic<Int>>
  let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    written = .allocate(capacity: 1)
    written.initialize(to: Atomic(0))
    read = .allocate(capacity: 1)
    read.initialize(to: Atomic(0))
  }

  func free() {
    written.deinitialize(count: 1)
    written.deallocate()
    read.deinitialize(count: 1)
    read.deallocate()
  }

  /// The place that is written next; -1 where there is no room.
  @_noAllocation @_noLocks
  func nextFree() -> Int {
    let place = written.pointee.load(ordering: .relaxed)
    return place - read.pointee.load(ordering: .acquiring) < capacity ? place % capacity : -1
  }

  /// Shows the reader what was written.
  @_noAllocation @_noLocks
  func pass() {
    written.pointee.store(written.pointee.load(ordering: .relaxed) + 1, ordering: .releasing)
  }

  /// How many wait; the reader's view.
  @_noAllocation @_noLocks
  func count() -> Int {
    written.pointee.load(ordering: .acquiring) - read.pointee.load(ordering: .relaxed)
  }

  /// The place that is read next; there is one.
  @_noAllocation @_noLocks
  func nextFilled() -> Int { read.pointee.load(ordering: .relaxed) % capacity }

  /// Gives the writer the room of what was read.
  @_noAllocation @_noLocks
  func drop() {
    read.pointee.store(read.pointee.load(ordering: .relaxed) + 1, ordering: .releasing)
  }
}

/// Commands on their way to the thread that renders; neither end waits.
///
/// One thread at a time at each end. The compiler refuses generic code on a render thread: so this and
/// `NoticeRing` stand beside each other.
struct CommandRing: @unchecked Sendable {
  // Sendable: an element between the counters belongs to one end.
  private let places: RingPlaces
  private let elements: UnsafeMutablePointer<StreamCommand>

  init(capacity: Int) {
    places = RingPlaces(capacity: capacity)
    elements = .allocate(capacity: capacity)
  }

  func free() {
    places.free()
    elements.deallocate()
  }

  /// Puts one in; false where there is no room.
  func push(_ element: StreamCommand) -> Bool {
    let place = places.nextFree()
    guard place >= 0 else { return false }
    (elements + place).initialize(to: element)
    places.pass()
    return true
  }

  /// How many wait.
  @_noAllocation @_noLocks
  func count() -> Int { places.count() }

  /// Takes one out; there is one.
  @_noAllocation @_noLocks
  func pop() -> StreamCommand {
    let element = elements[places.nextFilled()]
    places.drop()
    return element
  }
}

/// Notices on their way from the thread that renders; neither end waits.
struct NoticeRing: @unchecked Sendable {
  // Sendable: an element between the counters belongs to one end.
  private let places: RingPlaces
  private let elements: UnsafeMutablePointer<StampedNotice>

  init(capacity: Int) {
    places = RingPlaces(capacity: capacity)
    elements = .allocate(capacity: capacity)
  }

  func free() {
    places.free()
    elements.deallocate()
  }

  /// Puts one in; false where there is no room.
  @_noAllocation @_noLocks
  func push(_ element: StampedNotice) -> Bool {
    let place = places.nextFree()
    guard place >= 0 else { return false }
    (elements + place).initialize(to: element)
    places.pass()
    return true
  }

  /// Takes one out, where there is one.
  func pop() -> StampedNotice? {
    guard places.count() > 0 else { return nil }
    defer { places.drop() }
    return elements[places.nextFilled()]
  }
}

/// The owner of a stream's rings.
final class StreamRings: Sendable {
  let commands = CommandRing(capacity: 8192)
  let notices = NoticeRing(capacity: 65_536)

  deinit {
    commands.free()
    notices.free()
  }
}
