// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import SeededRandom
import Testing

/// Two threads, one queue: the order of a million samples is the proof of the counters.
struct RealtimeQueueThreadTests {
  @Test(arguments: [(0x5eed_0001, 64), (0x5eed_0002, 1000), (0x5eed_0003, 16_384)])
  func `a million samples cross between two threads in order`(
    seed: UInt64, capacity: Int
  ) throws {
    let total = 1_000_000
    let queue = QueueEnds(capacity: capacity)
    let thread = try RealtimeThread(name: "sender", priority: nil) {
      var random = SeededRandom(seed: seed)
      var block = [Float](repeating: 0, count: 1024)
      var sent = 0
      while sent < total {
        let count = min(random.integer(1...1024), total - sent)
        // Every whole number up to 2^24 is a float of its own.
        for index in 0..<count { block[index] = Float(sent + index) }
        let written = queue.write(block.span.extracting(0..<count))
        if written == 0 { sched_yield() }
        sent += written
      }
    }
    var random = SeededRandom(seed: seed &+ 1)
    var block = [Float](repeating: 0, count: 1024)
    var received = 0
    var firstWrong: Int?
    while received < total {
      let count = random.integer(1...1024)
      var span = block.mutableSpan
      var part = span._mutatingExtracting(0..<count)
      let filled = queue.read(into: &part)
      if filled == 0 { sched_yield() }
      for index in 0..<filled where block[index] != Float(received + index) {
        firstWrong = firstWrong ?? received + index
      }
      received += filled
    }
    thread.join()
    #expect(firstWrong == nil, "sample \(firstWrong ?? 0), capacity \(capacity), seed \(seed)")
    #expect(queue.available == 0)
  }
}
