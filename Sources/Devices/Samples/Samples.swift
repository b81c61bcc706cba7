// SPDX-License-Identifier: Apache-2.0

/// The samples of one channel of a take: in memory while they are few, else in a scratch file.
///
/// What reads a long take goes over it in blocks, or asks for the ranges that it needs, so that the memory it
/// takes does not grow with the take. Iterating reads block by block.
public struct Samples: Sendable {
  /// So many samples are kept in memory at most: 22 s at 48 kHz, 4 MiB.
  public static let mostInMemory = 1 << 20
  /// Samples that are read from a file in one go.
  static let blockLength = 1 << 14

  private enum Storage: Sendable {
    case memory([Float])
    case file(ScratchFile)
  }

  private let storage: Storage
  /// How many there are.
  public let count: Int
  /// What the samples of a file are multiples of; 0 for samples as they stand in it.
  private var step: Float = 0
  /// Ranges of a file that read as one value, in order.
  private var held: (ranges: [Range<Int>], value: Float) = ([], 0)

  /// Takes over samples that are in memory, however many.
  public init(_ samples: [Float]) {
    storage = .memory(samples)
    count = samples.count
  }

  init(_ file: ScratchFile, count: Int) {
    storage = .file(file)
    self.count = count
  }

  /// Their places.
  public var indices: Range<Int> { 0..<count }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }

  /// One sample; costs a system call where they are in a file.
  public subscript(_ index: Int) -> Float {
    switch storage {
    case .memory(let samples): samples[index]
    case .file: self[index..<(index + 1)][0]
    }
  }

  /// A copy of a range, which must lie inside.
  public subscript(_ range: Range<Int>) -> [Float] {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count,
      "samples \(range) are asked of \(count)")
    switch storage {
    case .memory(let samples):
      return range == indices ? samples : Array(samples[range])
    case .file(let file):
      return [Float](unsafeUninitializedCapacity: range.count) { room, filled in
        file.read(
          into: UnsafeMutableBufferPointer(rebasing: room[..<range.count]), at: range.lowerBound)
        filled = range.count
        if step > 0 {
          for index in 0..<range.count { room[index] = Self.rounded(room[index], to: step) }
        }
        for stretch in held.ranges where stretch.overlaps(range) {
          for index in stretch.clamped(to: range) { room[index - range.lowerBound] = held.value }
        }
      }
    }
  }

  /// The block from a place on that is cheapest to read: everything in memory, part of a file.
  func block(
    from first: Int, atLeast length: Int = blockLength
  ) -> (first: Int, samples: [Float]) {
    switch storage {
    case .memory(let samples): (0, samples)
    case .file: (first, self[first..<Swift.min(count, first + length)])
    }
  }

  /// A copy of a range, zeros where it lies outside.
  public func padded(_ range: Range<Int>) -> [Float] {
    let inside = range.clamped(to: indices)
    guard inside != range else { return self[range] }
    guard !inside.isEmpty else { return [Float](repeating: 0, count: range.count) }
    return [Float](repeating: 0, count: inside.lowerBound - range.lowerBound) + self[inside]
      + [Float](repeating: 0, count: range.upperBound - inside.upperBound)
  }

  /// The samples, each rounded to the nearest multiple of a step.
  ///
  /// It must be a power of two: so every multiple of fewer than 2^24 steps is a float itself. Samples in a
  /// file are rounded as they are read. A negative zero becomes a positive one.
  public func rounded(to step: Float) -> Samples {
    precondition(
      step > 0 && step.isFinite && step.significand == 1, "\(step) is no power of two")
    switch storage {
    case .memory(let samples): return Samples(samples.map { Self.rounded($0, to: step) })
    case .file:
      precondition(held.ranges.isEmpty, "samples are rounded before ranges of them are held")
      var copy = self
      copy.step = step
      return copy
    }
  }

  private static func rounded(_ sample: Float, to step: Float) -> Float {
    // Integers know no negative zero.
    (sample / step).rounded(.toNearestOrEven) * step + 0
  }

  /// The largest magnitude among the samples; what is no number counts for nothing.
  ///
  /// Reads them all.
  public var peak: Float {
    var peak: Float = 0
    for sample in self where abs(sample) > peak { peak = abs(sample) }
    return peak
  }

  /// The same samples, but one value in some ranges.
  public func holding(_ value: Float, in ranges: [Range<Int>]) -> Samples {
    let ranges = ranges.map { $0.clamped(to: indices) }.filter { !$0.isEmpty }
    guard !ranges.isEmpty else { return self }
    switch storage {
    case .memory(var samples):
      for index in ranges.joined() { samples[index] = value }
      return Samples(samples)
    case .file:
      precondition(held.ranges.isEmpty, "ranges are held once")
      var copy = self
      copy.held = (ranges, value)
      return copy
    }
  }
}

extension Samples: Sequence {
  /// Reads one sample after the other, a file block by block.
  public struct Iterator: IteratorProtocol {
    private let samples: Samples
    @usableFromInline var block: [Float] = []
    @usableFromInline var place = 0
    private var end = 0

    init(_ samples: Samples) { self.samples = samples }

    /// The next sample.
    @inlinable
    public mutating func next() -> Float? {
      if place == block.count, !refill() { return nil }
      defer { place += 1 }
      return block[place]
    }

    @usableFromInline
    mutating func refill() -> Bool {
      guard end < samples.count else { return false }
      block = samples.block(from: end).samples
      place = 0
      end += block.count
      return true
    }
  }

  /// Begins at the first sample.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// How many there are.
  public var underestimatedCount: Int { count }

  /// The first samples, as many as there are of so many.
  public func prefix(_ length: Int) -> [Float] { self[0..<Swift.min(Swift.max(0, length), count)] }
}

extension Samples: ExpressibleByArrayLiteral {
  /// Takes over samples that are written out.
  public init(arrayLiteral samples: Float...) { self.init(samples) }
}

extension Samples: Equatable {
  /// Whether both have the same samples.
  public static func == (one: Samples, other: Samples) -> Bool {
    one.count == other.count && one.elementsEqual(other)
  }

  /// Whether they are those of a list.
  public static func == (one: Samples, other: [Float]) -> Bool {
    one.count == other.count && one.elementsEqual(other)
  }
}

/// Reads ranges of samples that follow one another: what is beside one range is there for the next.
public struct SampleReader {
  private let samples: Samples
  private var first = 0
  private var block: [Float] = []

  /// Samples that are read ahead.
  private static let ahead = 1 << 15

  /// Begins to read.
  public init(_ samples: Samples) { self.samples = samples }

  /// The samples of a range, which must lie inside; valid until the next call.
  public mutating func read(_ range: Range<Int>) -> ArraySlice<Float> {
    if range.lowerBound < first || range.upperBound > first + block.count {
      (first, block) = samples.block(
        from: range.lowerBound, atLeast: Swift.max(range.count, Self.ahead))
    }
    return block[(range.lowerBound - first)..<(range.upperBound - first)]
  }
}
