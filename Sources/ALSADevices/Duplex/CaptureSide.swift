// SPDX-License-Identifier: Apache-2.0

import Devices
import Synchronization

/// The capture's frames on their way from the card to the queue, and where they stand in time.
///
/// Position 0 is the first frame that the card gave after the start; capture frame k is at position
/// `origin + k`, so that it is the same instant as drive frame k. What is lost becomes zeros and an event.
struct CaptureSide: ~Copyable {
  let shared: DuplexShared
  let format: SampleFormat
  /// Channels of the port and of the card.
  let width: Int
  let channels: Int
  let blockFrames: Int
  let isLockStep: Bool

  private var queue: CaptureWriter
  private let scratch: SampleBlock
  private let inputs: IndexBlock
  private(set) var captured = 0
  private(set) var origin = 0

  /// Makes the side; `inputs` are the card's channels of the port's, from 0.
  init(
    shared: DuplexShared, queue: consuming CaptureWriter, format: SampleFormat, inputs: [Int],
    channels: Int, blockFrames: Int, isLockStep: Bool
  ) {
    self.shared = shared
    self.queue = queue
    self.format = format
    width = inputs.count
    self.channels = channels
    self.blockFrames = blockFrames
    self.isLockStep = isLockStep
    self.inputs = IndexBlock(inputs)
    scratch = SampleBlock(capacity: blockFrames * inputs.count)
  }

  /// The capture frame that is taken from the card next; negative before frame 0.
  var next: Int {
    @_noAllocation @_noLocks
    get { captured - origin }
  }

  mutating func reset(origin: Int) {
    (captured, self.origin) = (0, origin)
    queue.reset()
  }

  /// How many of so many frames shall be taken from the card now.
  ///
  /// A card that does not wait is always emptied; one that waits, only as far as the queue has room.
  /// *Render thread*.
  @_noAllocation @_noLocks
  func wanted(of available: Int) -> Int {
    guard isLockStep, shared.isCaptureWanted.load(ordering: .acquiring) else { return available }
    let room = queue.room + (next < 0 ? -next : 0)
    return available < room ? available : room
  }

  /// Reads frames of the card.
  @_noAllocation @_noLocks
  mutating func decode(_ bytes: UnsafeRawPointer, frames: Int) {
    format.decode(
      bytes, frames: frames, channels: channels, into: scratch.samples, inputs: inputs.indices,
      width: width)
  }

  /// Passes the first frames that were read on.
  @_noAllocation @_noLocks
  mutating func deliver(_ frames: Int) {
    let first = next
    let skipped = first >= 0 ? 0 : -first < frames ? -first : frames
    captured += frames
    queue.flush()
    let count = frames - skipped
    guard count > 0, shared.isCaptureWanted.load(ordering: .acquiring) else { return }
    let block = UnsafeBufferPointer(
      start: scratch.samples + skipped * width, count: count * width)
    if !queue.write(block.span) {
      queue.note(.overrun, frame: first + skipped, length: count)
    }
  }

  /// Goes on after a break at a later position: what lies between is lost.
  @_noAllocation @_noLocks
  mutating func resume(at position: Int) {
    let first = next > 0 ? next : 0
    let end = position - origin
    captured = captured < position ? position : captured
    guard end > first, shared.isCaptureWanted.load(ordering: .acquiring) else { return }
    queue.note(.overrun, frame: first, length: end - first)
    queue.skip(end - first)
    queue.flush()
  }

  /// Passes on what was lost as zeros, as far as there is room.
  @_noAllocation @_noLocks
  mutating func passZeros() { queue.flush() }
}
