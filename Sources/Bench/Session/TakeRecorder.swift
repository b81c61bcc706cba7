import Devices

/// Collects interleaved capture frames into planar channels, up to the length of a take.
struct TakeRecorder {
  private let writers: [SampleWriter]
  let frameLimit: Int

  init(channelCount: Int, frameLimit: Int) {
    self.frameLimit = frameLimit
    writers = (0..<channelCount).map { _ in SampleWriter(expected: frameLimit) }
  }

  var channelCount: Int { writers.count }

  var frameCount: Int { writers.first?.count ?? 0 }

  func append(_ interleaved: Span<Float>) {
    let width = writers.count
    let count = min(interleaved.count / width, frameLimit - frameCount)
    for (channel, writer) in writers.enumerated() {
      writer.append(channel: channel, of: width, in: interleaved, frames: count)
    }
  }

  /// What was collected; nothing may be added afterwards.
  func channels() -> [Samples] { writers.map { $0.finish() } }
}
