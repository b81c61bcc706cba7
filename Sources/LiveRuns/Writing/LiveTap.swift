// SPDX-License-Identifier: Apache-2.0

public import Devices
import Glibc
import Synchronization

/// Looks at the signals of a session: they go into the waves, what is lost into the events.
public final class LiveTap: SignalTap {
  let channels: LiveEvent.Channels
  private let widths: (drive: Int, capture: Int)
  private let waves: WavesWriter?
  private let losses: LossQueue?
  private let driven = Atomic<Int>(0)
  private let captured = Atomic<Int>(0)
  private let start = Atomic<Int>(0)

  /// `waves` is `nil` where there is no room for them: then frames are only counted.
  init(_ channels: LiveEvent.Channels, waves: WavesWriter?, losses: LossQueue?) {
    self.channels = channels
    widths = (max(1, channels.count(.drive)), max(1, channels.count(.capture)))
    self.waves = waves
    self.losses = losses
  }

  /// Makes waves of a rig in a folder that is there, and tells of losses nobody.
  public convenience init(_ rig: RigDescription, folder: String) throws {
    let channels = LiveEvent.Channels(rig)
    let path = folder + "/" + LiveNames.waves
    self.init(
      channels, waves: try WavesWriter(path: path, layout: channels.layout), losses: nil)
  }

  /// Where the next take begins in the waves.
  var nextFrame: Int {
    max(driven.load(ordering: .acquiring), captured.load(ordering: .acquiring))
  }

  /// A take begins, of both sides at the same frame: what one of them lacks of the last is not known.
  public func begin() {
    let next = nextFrame
    waves?.skip(next - driven.load(ordering: .relaxed), ofDrive: true)
    waves?.skip(next - captured.load(ordering: .relaxed), ofDrive: false)
    driven.store(next, ordering: .releasing)
    captured.store(next, ordering: .releasing)
    start.store(next, ordering: .releasing)
  }

  /// Frames went out.
  public func drive(_ frames: Span<Float>) {
    waves?.push(frames, ofDrive: true)
    driven.add(frames.count / widths.drive, ordering: .releasing)
  }

  /// Frames came in.
  public func capture(_ frames: Span<Float>) {
    waves?.push(frames, ofDrive: false)
    captured.add(frames.count / widths.capture, ordering: .releasing)
  }

  /// Frames were lost or clipped.
  public func lost(_ event: StreamEvent, ofDrive: Bool) {
    losses?.push(
      LossNote(
        kind: event.kind, isDrive: ofDrive,
        frame: start.load(ordering: .relaxed) + event.frame, count: event.length))
  }
}

struct LossNote: BitwiseCopyable {
  var kind: StreamEvent.Kind
  var isDrive: Bool
  var frame: Int
  var count: Int
}

/// The way of losses from the session's thread to the one that writes.
final class LossQueue: @unchecked Sendable {
  // Sendable: one thread at a time pushes, the sessions follow one another; one pops.
  private var producer: RealtimeQueue<LossNote>.Producer
  private var consumer: RealtimeQueue<LossNote>.Consumer
  private let missed = Atomic<Int>(0)
  private let bell: Bell

  init(bell: Bell) {
    let queue = RealtimeQueue<LossNote>(capacity: 1024)
    producer = queue.producer
    consumer = queue.consumer
    self.bell = bell
  }

  func push(_ note: LossNote) {
    if !producer.push(note) { missed.add(1, ordering: .relaxed) }
    bell.ring()
  }

  func pop() -> LossNote? { consumer.pop() }

  /// How many found no room since the last call.
  func takeMissed() -> Int { missed.exchange(0, ordering: .relaxed) }
}

/// Wakes the thread that writes: rung by any thread, without a lock.
final class Bell: @unchecked Sendable {
  // Sendable: a semaphore is made for many threads.
  private let semaphore: UnsafeMutablePointer<sem_t>
  private let isRung = Atomic<Bool>(false)

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func ring() {
    if !isRung.exchange(true, ordering: .acquiringAndReleasing) { sem_post(semaphore) }
  }

  func wait() {
    while sem_wait(semaphore) != 0 {}
    isRung.store(false, ordering: .sequentiallyConsistent)
  }
}
