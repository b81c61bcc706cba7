import Devices

/// Collects interleaved capture frames into planar channels, up to the length of a take.
struct TakeRecorder {
  private(set) var channels: [[Float]]
  let frameLimit: Int

  init(channelCount: Int, frameLimit: Int) {
    self.frameLimit = frameLimit
    channels = (0..<channelCount).map { _ in
      var samples: [Float] = []
      samples.reserveCapacity(frameLimit)
      return samples
    }
  }

  var frameCount: Int { channels.first?.count ?? 0 }

  mutating func append(_ interleaved: Span<Float>) {
    let width = channels.count
    let count = min(interleaved.count / width, frameLimit - frameCount)
    for channel in 0..<width {
      for frame in 0..<count { channels[channel].append(interleaved[frame * width + channel]) }
    }
  }
}
