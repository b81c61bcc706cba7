import Devices
import Synchronization

/// Both ends of a sample queue where two threads reach them, each its own.
final class TapeEnds: Sendable {
  private let producer: Guarded<RealtimeQueue<Float>.Producer>
  private let consumer: Guarded<RealtimeQueue<Float>.Consumer>
  private let lost = Atomic<Int>(0)

  init(capacity: Int) {
    let queue = RealtimeQueue<Float>(capacity: capacity)
    producer = Guarded(queue.producer)
    consumer = Guarded(queue.consumer)
  }

  /// Keeps samples, all or none; nobody else holds this end's lock.
  func write(_ samples: Span<Float>) {
    producer.withLock { producer in
      guard producer.room >= samples.count else {
        lost.wrappingAdd(samples.count, ordering: .relaxed)
        return
      }
      _ = producer.write(samples)
    }
  }

  /// How many samples found no room.
  var lostSamples: Int { lost.load(ordering: .relaxed) }

  /// Takes all samples that are there.
  func take() -> [Float] {
    consumer.withLock { consumer in
      var samples = [Float](repeating: 0, count: consumer.available)
      var span = samples.mutableSpan
      _ = consumer.read(into: &span)
      return samples
    }
  }
}
