/// The writing end of a capture's queue: whole frames, of which those that were lost, or found no room, stand as
/// zeros.
///
/// So a frame's index is its time, whatever was lost. *One thread at a time*; wait-free.
public struct CaptureWriter: ~Copyable {
  private let queue: SampleProducer
  private let width: Int
  /// Frames of zeros that found no room in the queue yet.
  private var pending = 0

  /// Makes a writer of frames with so many channels; without one nothing is written.
  public init(_ queue: consuming SampleProducer, channels: Int) {
    self.queue = queue
    width = max(1, channels)
  }

  /// How many frames fit now.
  public var room: Int {
    @_noAllocation @_noLocks
    get { queue.room / width }
  }

  /// Forgets what is still to be given, for the next take.
  @_noAllocation @_noLocks
  public mutating func reset() { pending = 0 }

  /// Lets frames stand as zeros: they were lost.
  @_noAllocation @_noLocks
  public mutating func skip(_ frames: Int) { pending += frames }

  /// Writes whole frames behind the zeros that are still to be given.
  ///
  /// - Returns: Whether there was room; where there was not, the frames stand as zeros.
  @_noAllocation @_noLocks
  public mutating func write(_ samples: Span<Float>) -> Bool {
    flush()
    guard pending == 0, queue.room >= samples.count else {
      pending += samples.count / width
      return false
    }
    _ = queue.write(samples)
    return true
  }

  /// Gives the zeros that found no room, as far as there is room now.
  @_noAllocation @_noLocks
  public mutating func flush() {
    guard pending > 0 else { return }
    let room = room
    let count = pending < room ? pending : room
    queue.writeZeros(count * width)
    pending -= count
  }
}
