// SPDX-License-Identifier: Apache-2.0

/// The newest samples of a signal, found by their index since the start.
///
/// Samples before the start are zeros, as many as were asked for.
struct SampleHistory: Sendable {
  private var samples: [Float]
  private var base: Int

  /// Makes an empty history that can be read `lead` samples before the start.
  init(lead: Int) {
    samples = []
    samples.reserveCapacity(lead + 16_384)
    samples.append(contentsOf: repeatElement(0, count: lead))
    base = -lead
  }

  var end: Int { base + samples.count }

  mutating func append(_ new: [Float], count: Int) {
    new.withUnsafeBufferPointer {
      samples.append(contentsOf: UnsafeBufferPointer(rebasing: $0[..<count]))
    }
  }

  mutating func pad(to index: Int) {
    guard index > end else { return }
    samples.append(contentsOf: repeatElement(0, count: index - end))
  }

  mutating func clear(from index: Int) {
    guard index < end else { return }
    for place in max(0, index - base)..<samples.count { samples[place] = 0 }
  }

  mutating func forget(before index: Int) {
    let count = min(index - base, samples.count)
    guard count >= 8192 else { return }
    samples.removeFirst(count)
    base += count
  }

  /// Copies samples from an index on to the start of a block; all have to be there, else this traps.
  func copy(_ first: Int, count: Int, into block: inout [Float]) {
    precondition(
      first >= base && first + count <= end,
      "samples \(first)..<\(first + count) are asked of \(base)..<\(end)")
    block.withUnsafeMutableBufferPointer { block in
      samples.withUnsafeBufferPointer { samples in
        for place in 0..<count { block[place] = samples[first - base + place] }
      }
    }
  }

  /// Copies the samples from an index on into as many rows as there are to one index of a reader.
  ///
  /// Row r gets samples `first` + r, `first` + r + `rows` and so on. `needed` has to be there, else
  /// this traps; beyond what is there the rows get zeros.
  func copy(
    from first: Int, needed: Range<Int>, into rows: UnsafeMutablePointer<Float>, rowCount: Int,
    rowLength: Int
  ) {
    precondition(
      needed.lowerBound >= base && needed.upperBound <= end,
      "samples \(needed) are asked of \(base)..<\(end)")
    let wanted = first..<(first + rowCount * rowLength)
    let there = wanted.clamped(to: base..<end)
    if there != wanted { rows.update(repeating: 0, count: wanted.count) }
    samples.withUnsafeBufferPointer { samples in
      guard let start = samples.baseAddress, !there.isEmpty else { return }
      let source = start + (there.lowerBound - base)
      if rowCount == 1 {
        (rows + (there.lowerBound - first)).update(from: source, count: there.count)
        return
      }
      for row in 0..<rowCount {
        let skipped = (there.lowerBound - first + rowCount - 1 - row) / rowCount
        let target = rows + row * rowLength
        var place = first + skipped * rowCount + row - there.lowerBound
        var column = skipped
        while place < there.count {
          target[column] = source[place]
          place += rowCount
          column += 1
        }
      }
    }
  }
}

/// Where equally spaced indices fall on another count: position = offset + index * increment.
///
/// The two counts run side by side but for a drift: indices that lie `stride` apart lie `advance`
/// samples and a small `drift` apart.
struct SampleAxis: Sendable {
  /// The position of index 0, no less than a million before the start.
  let offset: Double
  let increment: Double
  /// How many indices lie between two that see the samples at the same phase, drift apart.
  let stride: Int
  /// The whole samples between two such indices.
  let advance: Int

  /// Makes an axis of about `advance` samples to `stride` indices.
  init(offset: Double, increment: Double, stride: Int = 1, advance: Int = 1) {
    self.offset = offset
    self.increment = increment
    self.stride = stride
    self.advance = advance
  }

  /// The samples, far less than one, by which `stride` indices miss `advance` samples.
  var drift: Double { increment * Double(stride) - Double(advance) }

  var isWhole: Bool { increment == 1 && offset == offset.rounded() }

  /// The sample at or before the position of an index, and the way on from there.
  func split(_ index: Int) -> (whole: Int, fraction: Double) {
    // Shifted to be positive, where a conversion rounds down without a call.
    let position = (offset + 0x1p20) + Double(index) * increment
    let whole = Int(position)
    return (whole - (1 << 20), position - Double(whole))
  }
}

/// Work on the first samples of a block in place, without a check per sample.
extension [Float] {
  /// Takes one channel of a range of interleaved frames, or zeros where it is silent.
  ///
  /// What is far below any converter's step becomes zero: it would only be slow.
  mutating func take(
    _ frames: UnsafeBufferPointer<Float>, channel: Int, of channelCount: Int, _ range: Range<Int>,
    silent: Bool
  ) {
    withUnsafeMutableBufferPointer { samples in
      for place in 0..<range.count {
        let value = silent ? 0 : frames[(range.lowerBound + place) * channelCount + channel]
        samples[place] = abs(value) < 1e-20 ? 0 : value
      }
    }
  }

  mutating func clear(count: Int) {
    withUnsafeMutableBufferPointer { $0[..<count].update(repeating: 0) }
  }

  mutating func scale(by factor: Float, count: Int) {
    withUnsafeMutableBufferPointer { samples in
      for place in 0..<count { samples[place] *= factor }
    }
  }

  @inline(__always)
  mutating func fill<Source>(
    from other: [Source], count: Int, _ number: (Source) -> Float
  ) {
    withUnsafeMutableBufferPointer { samples in
      other.withUnsafeBufferPointer { other in
        for place in 0..<count { samples[place] = number(other[place]) }
      }
    }
  }

  mutating func add(_ offset: Float, count: Int) {
    withUnsafeMutableBufferPointer { samples in
      for place in 0..<count { samples[place] += offset }
    }
  }

  mutating func add(_ other: [Float], times factor: Float, count: Int) {
    withUnsafeMutableBufferPointer { samples in
      other.withUnsafeBufferPointer { other in
        for place in 0..<count { samples[place] += factor * other[place] }
      }
    }
  }

  /// Rounds samples to whole steps, ties to even.
  mutating func quantize(to step: Double, count: Int) {
    let inverse = 1 / step
    withUnsafeMutableBufferPointer { samples in
      for place in 0..<count {
        // A sum that has no room for a fraction: the processor's own rounding, eight at a time.
        let steps = Double(samples[place]) * inverse + 0x1.8p52
        samples[place] = Float((steps - 0x1.8p52) * step)
      }
    }
  }

  /// True where every sample lies within a limit on either side; a NaN does not.
  func areWithin(_ limit: Float, count: Int) -> Bool {
    withUnsafeBufferPointer { samples in
      // Counted rather than looked for: that needs no jump per sample.
      var beyond: UInt32 = 0
      for place in 0..<count { beyond &+= abs(samples[place]) <= limit ? 0 : 1 }
      return beyond == 0
    }
  }
}
