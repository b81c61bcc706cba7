/// Memory for samples between a converter and a queue, asked for once and given back with its owner.
struct SampleBlock: ~Copyable {
  let samples: UnsafeMutablePointer<Float>
  let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    samples = .allocate(capacity: capacity)
    samples.initialize(repeating: 0, count: capacity)
  }

  deinit { samples.deallocate() }
}

/// Memory for a converter's own samples where the card does not share its memory.
struct ByteBlock: ~Copyable {
  let bytes: UnsafeMutableRawPointer

  init(byteCount: Int) {
    bytes = .allocate(byteCount: byteCount, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { bytes.deallocate() }
}

/// A list of numbers that a real-time loop reads without counting references.
struct IndexBlock: ~Copyable {
  let indices: UnsafeMutablePointer<Int>
  let count: Int

  init(_ list: [Int]) {
    count = list.count
    indices = .allocate(capacity: max(1, list.count))
    for (place, index) in list.enumerated() { (indices + place).initialize(to: index) }
  }

  deinit { indices.deallocate() }
}
