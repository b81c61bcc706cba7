// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Devices
import Testing

@Suite(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
struct RealtimeQueueMemoryTests {
  private static func drop(_ producer: consuming RealtimeQueue<Float>.Producer) {}
  private static func drop(_ consumer: consuming RealtimeQueue<Float>.Consumer) {}

  /// The heap calls of making a queue and letting its ends go.
  private static func counts(producerFirst: Bool) -> AllocationCounts {
    allocationCounterStart()
    let queue = RealtimeQueue<Float>(capacity: 1000)
    let producer = queue.producer
    let consumer = queue.consumer
    if producerFirst {
      drop(producer)
      drop(consumer)
    } else {
      drop(consumer)
      drop(producer)
    }
    return allocationCounterStop()
  }

  /// The heap calls of making a queue and letting it go whole.
  private static func countsUntaken() -> AllocationCounts {
    allocationCounterStart()
    do {
      let queue = RealtimeQueue<Float>(capacity: 64)
      _ = queue.producer.room
    }
    return allocationCounterStop()
  }

  /// What a consumer still reads when the producer is gone.
  private static func readAfterProducer() -> [Float] {
    let queue = RealtimeQueue<Float>(capacity: 8)
    var producer = queue.producer
    var consumer = queue.consumer
    let samples: [Float] = [1, 2, 3]
    _ = producer.write(samples.span)
    drop(producer)
    var block = [Float](repeating: 0, count: 8)
    var span = block.mutableSpan
    let count = consumer.read(into: &span)
    return Array(block.prefix(count))
  }

  @Test func `moving samples asks for no memory`() {
    let queue = QueueEnds(capacity: 256)
    let block = [Float](repeating: 0.5, count: 100)
    var heard = [Float](repeating: 0, count: 100)
    var moved = 0
    _ = queue.read(atMost: queue.write(block))
    allocationCounterStart()
    for _ in 0..<100 {
      moved += queue.write(block.span)
      var span = heard.mutableSpan
      moved += queue.read(into: &span)
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
    #expect(moved == 20_000)
  }

  @Test(arguments: [true, false])
  func `a queue gives its memory back with its last end, whichever that is`(producerFirst: Bool) {
    expectBalance { Self.counts(producerFirst: producerFirst) }
  }

  @Test func `a queue that is never taken apart gives its memory back too`() {
    expectBalance { Self.countsUntaken() }
  }

  /// Expects a round that gives back what it takes: now and then the language's runtime keeps some
  /// memory of its own for ever, a leak would be in every round.
  private func expectBalance(_ round: () -> AllocationCounts) {
    let rounds = (0..<5).map { _ in round() }
    #expect(rounds.allSatisfy { $0.allocations > 0 })
    #expect(rounds.contains { $0.allocations == $0.releases }, "\(rounds)")
  }

  @Test func `what was written outlives the end that wrote it`() {
    #expect(Self.readAfterProducer() == [1, 2, 3])
  }
}
