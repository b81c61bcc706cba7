// SPDX-License-Identifier: Apache-2.0

import Devices
import Synchronization

/// The drive's frames on their way from the queue to the card, and where they stand in time.
///
/// Position 0 is the first frame that the card was given after the start. The first `lead` are silence, so
/// drive frame k is at position `lead + k`, whatever breaks in between.
struct DriveSide: ~Copyable {
  let shared: DuplexShared
  let format: SampleFormat
  /// Channels of the port and of the card.
  let width: Int
  let channels: Int
  let blockFrames: Int
  let isLockStep: Bool

  private var queue: DriveReader
  private let scratch: SampleBlock
  /// In lock-step the frames that the card took last, by their position: what it had not played when it
  /// broke is given to it again.
  private let given: SampleBlock
  private var dither = Dither(seed: 1)
  private(set) var written = 0
  /// Frames of silence before drive frame 0.
  private(set) var lead = 0
  /// Frames in `scratch` that the card did not take yet.
  private var held = 0
  /// Frames that are still to come and whose time is over.
  private var late = 0
  private(set) var clipped = 0

  init(
    shared: DuplexShared, queue: consuming DriveReader, format: SampleFormat, width: Int,
    channels: Int, blockFrames: Int, isLockStep: Bool
  ) {
    self.shared = shared
    self.queue = queue
    self.format = format
    self.width = width
    self.channels = channels
    self.blockFrames = blockFrames
    self.isLockStep = isLockStep
    scratch = SampleBlock(capacity: (isLockStep ? 2 : 1) * blockFrames * width)
    given = SampleBlock(capacity: isLockStep ? blockFrames * width : 0)
  }

  /// The drive frame that is given to the card next; negative in the lead.
  var next: Int {
    @_noAllocation @_noLocks
    get { written - lead }
  }

  mutating func clear() { drain() }

  mutating func reset(lead: Int) {
    dither = Dither(seed: 1)
    (written, self.lead, held, late, clipped) = (lead, lead, 0, 0, 0)
  }

  /// Gathers up to `room` frames for the card and returns how many there are.
  ///
  /// Where a card does not wait, frames that are missing are zeros, told as an underrun, and dropped
  /// when they come.
  @_noAllocation @_noLocks
  mutating func fill(room: Int) -> Int {
    let wanted = room < blockFrames ? room : blockFrames
    // Looked at before the queue: whatever was sent before the end is then seen too.
    let isEnded = shared.isDriveEnded.load(ordering: .acquiring)
    if shared.isQuiet {
      late = 0
      drain()
      let allowed = isLockStep && !isEnded ? shared.sent.load(ordering: .acquiring) - next : wanted
      held = allowed < wanted ? (allowed > 0 ? allowed : 0) : wanted
      clear(from: 0, to: held)
      return held
    }
    skipLate()
    let there = held + (late == 0 && held < wanted ? read(at: held, frames: wanted - held) : 0)
    if there >= wanted || (isLockStep && !isEnded) {
      held = there
      return there < wanted ? there : wanted
    }
    clear(from: there, to: wanted)
    if !isEnded {
      queue.note(.underrun, frame: next + there, length: wanted - there)
      late += wanted - there
    }
    held = wanted
    return wanted
  }

  /// Writes the first gathered frames as the card's own.
  @_noAllocation @_noLocks
  mutating func encode(into bytes: UnsafeMutableRawPointer, frames: Int) {
    clipped += format.encode(
      scratch.samples, frames: frames, width: width, into: bytes, channels: channels,
      dither: &dither)
  }

  /// Notes that the card took the first gathered frames.
  @_noAllocation @_noLocks
  mutating func took(_ frames: Int) {
    if isLockStep {
      for place in 0..<(frames * width) {
        given.samples[(written * width + place) % (blockFrames * width)] = scratch.samples[place]
      }
    }
    written += frames
    let rest = (held - frames) * width
    if rest > 0 {
      for place in 0..<rest { scratch.samples[place] = scratch.samples[frames * width + place] }
    }
    held = held > frames ? held - frames : 0
    shared.driven.store(next, ordering: .releasing)
  }

  /// Notes that the card gave frames back.
  @_noAllocation @_noLocks
  mutating func tookBack(_ frames: Int) {
    written -= frames
    held = 0
  }

  /// Goes on after a break: the card stopped at one position and starts at another, later one, with
  /// so many frames of silence.
  @_noAllocation @_noLocks
  mutating func resume(from stopped: Int, at position: Int, silence: Int) {
    let first = stopped - lead > 0 ? stopped - lead : 0
    var end = position + silence - lead
    // After the end nothing was to be played.
    if shared.isDriveEnded.load(ordering: .acquiring) {
      let sent = shared.sent.load(ordering: .acquiring)
      end = end < sent ? end : sent
    }
    if !shared.isQuiet {
      queue.note(.underrun, frame: first, length: end - first)
    }
    let skipped = position + silence - written
    if skipped < 0 { giveAgain(-skipped) }
    late += skipped > 0 ? skipped : 0
    written = position + silence
    // What was gathered is the first of what is late.
    let dropped = held < late ? held : late
    late -= dropped
    if dropped < held {
      for place in 0..<((held - dropped) * width) {
        scratch.samples[place] = scratch.samples[dropped * width + place]
      }
    }
    held -= dropped
    shared.driven.store(next, ordering: .releasing)
  }

  /// Puts the last frames that the card took before what is gathered.
  @_noAllocation @_noLocks
  private mutating func giveAgain(_ frames: Int) {
    // More than a card holds it cannot have lost.
    guard isLockStep, frames <= blockFrames, held <= blockFrames else { return }
    let count = frames * width
    var place = held * width
    while place > 0 {
      place -= 1
      scratch.samples[count + place] = scratch.samples[place]
    }
    for place in 0..<count {
      let source = ((written - frames) * width + place) % (blockFrames * width)
      scratch.samples[place] = given.samples[source]
    }
    held += frames
  }

  @_noAllocation @_noLocks
  private mutating func skipLate() {
    // Only with nothing gathered: the scratch is used to read what is dropped.
    while late > 0, held == 0 {
      let count = read(at: 0, frames: late < blockFrames ? late : blockFrames)
      guard count > 0 else { return }
      late -= count
    }
  }

  @_noAllocation @_noLocks
  private mutating func drain() {
    held = 0
    queue.clear()
  }

  @_noAllocation @_noLocks
  private mutating func read(at frame: Int, frames: Int) -> Int {
    let room = UnsafeMutableBufferPointer(
      start: scratch.samples + frame * width, count: frames * width)
    var span = room.mutableSpan
    return queue.read(into: &span)
  }

  @_noAllocation @_noLocks
  private mutating func clear(from first: Int, to end: Int) {
    guard end > first else { return }
    for place in (first * width)..<(end * width) { scratch.samples[place] = 0 }
  }
}
