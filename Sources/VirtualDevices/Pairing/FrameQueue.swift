/// Interleaved frames on their way from a device to a reader, and how many have left.
struct FrameQueue: Sendable {
  /// Frames handed out since the start.
  private(set) var readFrames = 0

  private let channelCount: Int
  private var samples: [Float] = []
  private var next = 0

  init(channelCount: Int) { self.channelCount = channelCount }

  /// Adds one sample; frames are whole when the channels' samples have all come.
  mutating func append(_ sample: Float) { samples.append(sample) }

  /// Moves frames out, up to a frame counted from the start, and returns how many.
  mutating func move(into frames: inout MutableSpan<Float>, upTo limit: Int) -> Int {
    let there = (samples.count - next) / channelCount
    let count = max(0, min(frames.count / channelCount, there, limit - readFrames))
    for place in 0..<(count * channelCount) { frames[place] = samples[next + place] }
    next += count * channelCount
    readFrames += count
    if next >= 16_384 {
      samples.removeFirst(next)
      next = 0
    }
    return count
  }
}
