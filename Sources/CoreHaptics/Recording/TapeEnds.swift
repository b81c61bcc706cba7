import Devices
import Synchronization

/// Both ends of a sample queue where two threads reach them, each its own.
final class TapeEnds: Sendable {
  private let producer: SampleProducer
  private let consumer: SampleConsumer
  private let lost = Atomic<Int>(0)

  init(capacity: Int) {
    let queue = SampleQueue(capacity: capacity)
    producer = queue.producer
    consumer = queue.consumer
  }

  /// Keeps samples, all or none; wait-free.
  @_noAllocation @_noLocks
  func write(_ samples: Span<Float>) {
    guard producer.room >= samples.count else {
      lost.wrappingAdd(samples.count, ordering: .relaxed)
      return
    }
    _ = producer.write(samples)
  }

  /// How many samples found no room.
  var lostSamples: Int { lost.load(ordering: .relaxed) }

  /// Takes all samples that are there.
  func take() -> [Float] {
    let count = consumer.available
    var samples = [Float](repeating: 0, count: count)
    var span = samples.mutableSpan
    _ = consumer.read(into: &span)
    return samples
  }
}
