// SPDX-License-Identifier: Apache-2.0

import Devices

/// Both ends of a queue behind one reference, so that expectations and closures can use them.
final class QueueEnds: Sendable {
  private let producer: Guarded<RealtimeQueue<Float>.Producer>
  private let consumer: Guarded<RealtimeQueue<Float>.Consumer>

  init(capacity: Int) {
    let queue = RealtimeQueue<Float>(capacity: capacity)
    producer = Guarded(queue.producer)
    consumer = Guarded(queue.consumer)
  }

  var room: Int { producer.withLock { $0.room } }
  var available: Int { consumer.withLock { $0.available } }

  func write(_ samples: [Float]) -> Int { producer.withLock { $0.write(samples.span) } }
  func write(_ samples: Span<Float>) -> Int { producer.withLock { $0.write(samples) } }
  func read(into samples: inout MutableSpan<Float>) -> Int {
    consumer.withLock { $0.read(into: &samples) }
  }

  func read(atMost count: Int) -> [Float] {
    var block = [Float](repeating: -1, count: count)
    var span = block.mutableSpan
    let filled = consumer.withLock { $0.read(into: &span) }
    return Array(block.prefix(filled))
  }
}
