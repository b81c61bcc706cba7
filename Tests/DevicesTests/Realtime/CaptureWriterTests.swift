// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Testing

/// Whatever is lost or finds no room, a frame's place among those that are read is its index.
@Suite struct CaptureWriterTests {
  /// Reads all that there is.
  private static func drain(
    _ reader: inout CaptureReader, _ taken: Int, channels: Int = 1
  ) -> [Float] {
    var block = [Float](repeating: -1, count: taken * channels)
    var span = block.mutableSpan
    let count = reader.read(into: &span)
    return Array(block.prefix(count * channels))
  }

  @Test(arguments: UInt64(0)..<30)
  func `frames stand at their index, and zeros where they were lost`(seed: UInt64) {
    var random = SeededRandom(seed: 0xCA_0000 + seed)
    let channels = random.integer(1...5)
    let queue = CaptureQueue(frames: random.integer(30...100), channels: channels)
    var writer = queue.writer
    var reader = queue.reader
    var (expected, received): ([Float], [Float]) = ([], [])
    for _ in 0..<150 {
      let frames = random.integer(1...9)
      if random.chance(0.2) {
        writer.skip(frames)
        expected += [Float](repeating: 0, count: frames * channels)
      } else {
        let block = (0..<frames * channels).map { _ in Float(random.uniform(1...2)) }
        let isWritten = writer.write(block.span)
        expected += isWritten ? block : block.map { _ in 0 }
      }
      if random.chance(0.5) {
        received += Self.drain(&reader, random.integer(1...50), channels: channels)
      }
    }
    while received.count < expected.count {
      writer.flush()
      let more = Self.drain(&reader, 300, channels: channels)
      guard !more.isEmpty else { break }
      received += more
    }
    #expect(received == expected, "seed \(seed)")
    #expect(expected.contains { $0 != 0 } && expected.contains(0), "seed \(seed)")
  }

  @Test func `a take begins without what another one still had to be given`() {
    let queue = CaptureQueue(frames: 4, channels: 1)
    var writer = queue.writer
    var reader = queue.reader
    writer.skip(1_000)
    writer.flush()
    writer.reset()
    _ = Self.drain(&reader, 1_000)
    let block: [Float] = [5]
    let isWritten = writer.write(block.span)
    #expect(isWritten)
    let left = Self.drain(&reader, 10)
    #expect(left == [5])
  }
}
