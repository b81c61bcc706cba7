// SPDX-License-Identifier: Apache-2.0

package import Devices

/// By what clock samples of a sound are taken from its queue.
package enum SoundPace: Sendable, Equatable {
  /// One for each frame of the drive: a sound that is known beforehand.
  case drive
  /// All that are there: a sound of another clock.
  case arrival
  /// All that are there, at most 1 % faster than the sound: a pipe, whose writer may not wait.
  case hurried
}

/// Where a take of the sound's samples stands on the drive's frames.
package struct HeardMark: BitwiseCopyable, Sendable {
  /// The frame of the drive at which they were taken.
  package let frame: Int
  /// How many had been taken by then.
  package let count: Int

  @_noAllocation @_noLocks
  init(frame: Int, count: Int) { (self.frame, self.count) = (frame, count) }
}

/// The ends of the queues that a stage follows a sound by: samples in, what was heard out.
package struct SoundLine: ~Copyable, Sendable {
  let samples: RealtimeQueue<Float>.Consumer
  let heard: CaptureWriter
  let marks: RealtimeQueue<HeardMark>.Producer
  /// The end that the rig's own capture puts its sound in by.
  let own: RealtimeQueue<Float>.Producer
  /// The place of that sound among the capture's channels; -1 for a sound of another source.
  let channel: Int
  /// What a sample of that channel is multiplied by, so that the converter's end is 1.
  let scale: Float
  let pace: SoundPace
  let longestDelay: Double
  /// Tells how the sound ended; nil where nobody can.
  let feed: SoundFeed?

  /// The longest delay of the sound that is passed on, in seconds.
  package static let longestDelay = 0.5

  /// A line that nothing comes through.
  package init() {
    let first = RealtimeQueue<Float>(capacity: 1)
    let second = RealtimeQueue<Float>(capacity: 1)
    let third = RealtimeQueue<HeardMark>(capacity: 1)
    let fourth = CaptureQueue(frames: 1, channels: 1)
    samples = first.consumer
    heard = fourth.writer
    marks = third.producer
    own = second.producer
    (pace, channel, scale, longestDelay, feed) = (.arrival, -1, 1, 0, nil)
  }

  /// A line of samples that a source puts into a queue, and whose feed says when it fails.
  package init(
    _ samples: consuming RealtimeQueue<Float>.Consumer, pace: SoundPace, feed: SoundFeed,
    heard: consuming CaptureWriter,
    marks: consuming RealtimeQueue<HeardMark>.Producer
  ) {
    let unused = RealtimeQueue<Float>(capacity: 1)
    self.samples = samples
    self.heard = heard
    self.marks = marks
    own = unused.producer
    (self.pace, channel, scale, longestDelay) = (pace, -1, 1, Self.longestDelay)
    self.feed = feed
  }

  /// A line from the first audio channel of a rig's own capture; traps where it has none.
  package init(
    captureOf rig: RigDescription, heard: consuming CaptureWriter,
    marks: consuming RealtimeQueue<HeardMark>.Producer
  ) {
    let channels = rig.capture.channels
    guard let channel = channels.firstIndex(where: { $0.role == .audio }) else {
      preconditionFailure("\(rig.name) captures no sound")
    }
    let queue = RealtimeQueue<Float>(capacity: 1 << 16)
    samples = queue.consumer
    self.heard = heard
    self.marks = marks
    own = queue.producer
    (pace, self.channel, longestDelay, feed) = (.arrival, channel, 0, nil)
    scale = Float(1 / channels[channel].scale)
  }
}
