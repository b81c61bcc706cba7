import Devices
import SeededRandom
import Testing

/// Whatever is lost or finds no room, a frame's place among those that are read is its index.
@Suite struct CaptureWriterTests {
  /// Reads all that there is.
  private static func drain(_ consumer: borrowing SampleConsumer, _ taken: Int) -> [Float] {
    var block = [Float](repeating: -1, count: taken)
    var span = block.mutableSpan
    let count = consumer.read(into: &span)
    return Array(block.prefix(count))
  }

  @Test(arguments: UInt64(0)..<30)
  func `frames stand at their index, and zeros where they were lost`(seed: UInt64) {
    var random = SeededRandom(seed: 0xCA_0000 + seed)
    let channels = random.integer(1...5)
    let queue = SampleQueue(capacity: random.integer(60...300))
    let producer = queue.producer
    let consumer = queue.consumer
    var writer = CaptureWriter(producer, channels: channels)
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
      if random.chance(0.5) { received += Self.drain(consumer, random.integer(1...150)) }
    }
    while received.count < expected.count {
      writer.flush()
      let more = Self.drain(consumer, 300)
      guard !more.isEmpty else { break }
      received += more
    }
    #expect(received == expected, "seed \(seed)")
    #expect(expected.contains { $0 != 0 } && expected.contains(0), "seed \(seed)")
  }

  @Test func `a take begins without what another one still had to be given`() {
    let queue = SampleQueue(capacity: 4)
    let producer = queue.producer
    let consumer = queue.consumer
    var writer = CaptureWriter(producer, channels: 1)
    writer.skip(1_000)
    writer.flush()
    writer.reset()
    _ = Self.drain(consumer, 1_000)
    let block: [Float] = [5]
    let isWritten = writer.write(block.span)
    #expect(isWritten)
    #expect(Self.drain(consumer, 10) == [5])
  }
}
