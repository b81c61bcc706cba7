/// Two queues from the render thread to whoever writes files.
final class StreamTape: Sendable {
  private let driveEnds: TapeEnds
  private let responseEnds: TapeEnds

  /// Makes queues for some seconds of frames of so many samples.
  init(frames: Int, driveWidth: Int, captureWidth: Int) {
    driveEnds = TapeEnds(capacity: frames * driveWidth)
    responseEnds = TapeEnds(capacity: frames * max(1, captureWidth))
  }

  /// Keeps a block of drive; whole or not at all.
  func note(drive samples: Span<Float>) { driveEnds.write(samples) }

  /// Keeps a block of response; whole or not at all.
  func note(response samples: Span<Float>) { responseEnds.write(samples) }

  /// Takes what was kept.
  func take() -> (drive: [Float], response: [Float]) { (driveEnds.take(), responseEnds.take()) }

  /// How many samples found no room.
  var lost: Int { driveEnds.lostSamples + responseEnds.lostSamples }
}
