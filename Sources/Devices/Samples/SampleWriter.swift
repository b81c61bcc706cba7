/// Collects the samples of one channel, first to last; what is more than memory should hold goes to a scratch file.
///
/// Where no disk takes them they stay in memory: a take that is recorded is not to be lost for want of a file.
public final class SampleWriter {
  private var kept: [Float] = []
  /// Samples that are in the file already.
  private var filed = 0
  private var file: ScratchFile?
  private var isDiskLost = false

  /// Samples that are written to a file in one go.
  private static let pieceLength = 1 << 15

  /// Begins with none.
  ///
  /// - Parameter expected: How many will come, as far as it is known: room for them is made at once.
  public init(expected: Int = 0) {
    kept.reserveCapacity(
      expected > Samples.mostInMemory ? Self.pieceLength + 4096 : expected)
    if expected > Samples.mostInMemory { file = ScratchFile() }
  }

  init(file: ScratchFile) { self.file = file }

  /// How many samples came.
  public var count: Int { filed + kept.count }

  /// Adds samples.
  public func append(_ samples: [Float]) {
    kept += samples
    makeRoom()
  }

  /// Adds one channel's samples of interleaved frames.
  public func append(channel: Int, of width: Int, in interleaved: Span<Float>, frames: Int) {
    for frame in 0..<frames { kept.append(interleaved[frame * width + channel]) }
    makeRoom()
  }

  /// The samples that came; none may be added afterwards.
  public func finish() -> Samples {
    guard file != nil, count > Samples.mostInMemory else {
      return Samples(filed == 0 ? kept : takeBack())
    }
    flush()
    guard let file else { return Samples(kept) }
    return Samples(file, count: filed)
  }

  private func makeRoom() {
    guard !isDiskLost, kept.count >= Self.pieceLength,
      file != nil || kept.count > Samples.mostInMemory
    else { return }
    file = file ?? ScratchFile()
    isDiskLost = file == nil
    flush()
  }

  private func flush() {
    guard let file else { return }
    guard file.write(kept.span, at: filed) else {
      kept = takeBack()
      (self.file, filed, isDiskLost) = (nil, 0, true)
      return
    }
    filed += kept.count
    // Of a first piece that filled the memory the room is let go of.
    kept.removeAll(keepingCapacity: kept.count <= 2 * Self.pieceLength)
  }

  private func takeBack() -> [Float] {
    guard let file, filed > 0 else { return kept }
    return Samples(file, count: filed)[0..<filed] + kept
  }
}
