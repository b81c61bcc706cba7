import Devices

/// Both ends of a queue behind one reference, so that expectations and closures can use them.
final class QueueEnds: Sendable {
  private let producer: SampleProducer
  private let consumer: SampleConsumer

  init(capacity: Int) {
    let queue = SampleQueue(capacity: capacity)
    producer = queue.producer
    consumer = queue.consumer
  }

  var room: Int { producer.room }
  var available: Int { consumer.available }

  func write(_ samples: [Float]) -> Int { producer.write(samples.span) }
  func write(_ samples: Span<Float>) -> Int { producer.write(samples) }
  func read(into samples: inout MutableSpan<Float>) -> Int { consumer.read(into: &samples) }

  func read(atMost count: Int) -> [Float] {
    var block = [Float](repeating: -1, count: count)
    var span = block.mutableSpan
    let filled = consumer.read(into: &span)
    return Array(block.prefix(filled))
  }
}
