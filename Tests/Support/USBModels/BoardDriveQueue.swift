// SPDX-License-Identifier: Apache-2.0

/// The drive frames that a board holds for later: runs of frames in order, with gaps between them.
struct BoardDriveQueue: Sendable {
  /// What became of frames that were offered.
  struct Admission: Hashable {
    /// Frames whose time was over.
    var lateCount = 0
    /// Frames that found no room.
    var excessCount = 0
  }

  private struct Run {
    var firstFrame: Int
    var samples: [Int32]
  }

  let channelCount: Int
  let capacity: Int
  /// The next frame to be played.
  private(set) var nextFrame = 0
  private var runs: [Run] = []
  /// One past the last frame held.
  private var endFrame = 0

  init(channelCount: Int, capacity: Int) {
    self.channelCount = channelCount
    self.capacity = capacity
  }

  /// Frames from the next one to the last one held, gaps included.
  var count: Int { max(0, endFrame - nextFrame) }

  /// Takes frames from `firstFrame` on, but those that are over, held already, or too far ahead.
  mutating func append(_ samples: [Int32], firstFrame: Int) -> Admission {
    var admission = Admission()
    let end = firstFrame + samples.count / channelCount
    let begin = max(firstFrame, max(nextFrame, endFrame))
    let limit = min(end, nextFrame + capacity)
    admission.lateCount = min(end, max(begin, firstFrame)) - firstFrame
    admission.excessCount = max(0, end - max(limit, begin))
    guard begin < limit else { return admission }
    let range = ((begin - firstFrame) * channelCount)..<((limit - firstFrame) * channelCount)
    runs.append(Run(firstFrame: begin, samples: Array(samples[range])))
    endFrame = limit
    return admission
  }

  /// Takes the next frame; `nil` where it is not there.
  mutating func next() -> [Int32]? {
    defer { nextFrame += 1 }
    while let run = runs.first, run.firstFrame + run.samples.count / channelCount <= nextFrame {
      runs.removeFirst()
    }
    guard let run = runs.first, run.firstFrame <= nextFrame else { return nil }
    let place = (nextFrame - run.firstFrame) * channelCount
    return Array(run.samples[place..<(place + channelCount)])
  }

  /// Drops what is held.
  mutating func removeAll() {
    runs = []
    endFrame = nextFrame
  }
}
