// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Devices

struct RealtimeQueueTests {
  @Test func `samples come out in the order they went in`() {
    let queue = QueueEnds(capacity: 16)
    #expect(queue.write([1, 2, 3]) == 3)
    #expect(queue.write([4, 5]) == 2)
    #expect(queue.available == 5)
    #expect(queue.read(atMost: 4) == [1, 2, 3, 4])
    #expect(queue.read(atMost: 4) == [5])
  }

  @Test func `an empty queue gives nothing and touches nothing`() {
    let queue = QueueEnds(capacity: 4)
    var block: [Float] = [7, 8]
    var span = block.mutableSpan
    let count = queue.read(into: &span)
    #expect(count == 0)
    #expect(block == [7, 8])
    #expect(queue.available == 0)
  }

  @Test(arguments: [1, 2, 3, 5, 64, 100, 1023])
  func `a queue takes at least its capacity, and no more than its room`(capacity: Int) {
    let queue = QueueEnds(capacity: capacity)
    let room = queue.room
    #expect(room >= capacity)
    let many = (0..<(room + 10)).map(Float.init)
    #expect(queue.write(many) == room)
    #expect(queue.room == 0)
    #expect(queue.write([99]) == 0)
    // What did not fit has not overwritten anything.
    #expect(queue.read(atMost: room + 10) == Array(many.prefix(room)))
    #expect(queue.room == room)
  }

  @Test func `a full queue takes as much as was read from it`() {
    let queue = QueueEnds(capacity: 8)
    let room = queue.room
    #expect(queue.write((0..<room).map(Float.init)) == room)
    #expect(queue.read(atMost: 3) == [0, 1, 2])
    #expect(queue.room == 3)
    #expect(queue.write([50, 51, 52, 53, 54]) == 3)
    #expect(queue.read(atMost: 100) == (3..<room).map(Float.init) + [50, 51, 52])
  }

  @Test func `samples stay in order however often the queue wraps around`() {
    let queue = QueueEnds(capacity: 7)
    var sent: Float = 0
    var received: [Float] = []
    for turn in 0..<1000 {
      let block = (0..<(turn % 6 + 1)).map { sent + Float($0) }
      sent += Float(queue.write(block))
      received += queue.read(atMost: turn % 5 + 1)
    }
    #expect(received.count > 2000)
    #expect(received == received.indices.map(Float.init))
  }

  @Test func `an empty block moves nothing`() {
    let queue = QueueEnds(capacity: 4)
    #expect(queue.write([]) == 0)
    #expect(queue.read(atMost: 0) == [])
    #expect(queue.available == 0)
  }

  @Test func `a queue without room is a programmer's error`() async {
    await #expect(processExitsWith: .failure) { _ = QueueEnds(capacity: 0) }
  }

  @Test func `elements go in and come out one by one`() {
    let queue = RealtimeQueue<UInt8>(capacity: 2)
    var producer = queue.producer
    var consumer = queue.consumer
    let first = [producer.push(1), producer.push(2), producer.push(3)]
    #expect(first == [true, true, false])
    let taken = [consumer.pop(), consumer.pop(), consumer.pop()]
    #expect(taken == [1, 2, nil])
  }

  @Test func `what is cleared is not read, and its room is free again`() {
    let queue = RealtimeQueue<Float>(capacity: 8)
    var producer = queue.producer
    var consumer = queue.consumer
    let written = producer.write(repeating: 3, count: 11)
    #expect(written == 8)
    consumer.clear()
    let (available, room) = (consumer.available, producer.room)
    #expect(available == 0)
    #expect(room == 8)
  }

  @Test func `the counters stand on cache lines of their own`() {
    #expect(MemoryLayout<QueueCounters>.size == 2 * QueueCounters.lineBytes + 8)
  }
}
