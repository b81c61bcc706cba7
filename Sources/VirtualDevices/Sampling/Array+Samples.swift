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
