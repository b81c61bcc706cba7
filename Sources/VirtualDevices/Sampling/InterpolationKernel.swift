import Glibc

/// A windowed sinc that reads a sampled signal between its samples.
///
/// Kaiser window of 96 dB. With `reach` r lobes on either side and a cutoff of half the lower of two
/// rates, it is flat within 2e-5 up to (1 - 5.9 / (2 r)) of that half: 19.6 kHz at 48 kHz and r = 16.
/// Its delay is exact by symmetry; the table of phases is interpolated linearly, which costs less than
/// 1e-6 of a sample.
struct InterpolationKernel: Sendable {
  /// How many samples before and after the point are read.
  let halfWidth: Int

  private let taps: Int
  private let phases: Int
  private let table: [Float]

  /// Makes a kernel.
  ///
  /// - Parameters:
  ///   - reach: Lobes on either side; a multiple of 4.
  ///   - decimation: How many input samples there are to one of the output; 1 reconstructs at the
  ///     input's own band, more than 1 also keeps out what would alias.
  init(reach: Int, decimation: Int) {
    let halfWidth = reach * decimation
    let taps = 2 * halfWidth
    let phases = max(64, 512 / decimation)
    var table: [Float] = []
    table.reserveCapacity((phases + 1) * taps)
    for phase in 0...phases {
      let fraction = Double(phase) / Double(phases)
      let row = (0..<taps).map { tap in
        let distance = Double(tap - halfWidth + 1) - fraction
        return Self.sinc(distance / Double(decimation))
          * Self.kaiser(distance / Double(halfWidth))
      }
      let sum = row.reduce(0, +)
      table += row.map { Float($0 / sum) }
    }
    self.halfWidth = halfWidth
    self.taps = taps
    self.phases = phases
    self.table = table
  }

  /// Reads a signal at the positions that an axis gives to a range of indices.
  ///
  /// `signal` holds every sample from `halfWidth - 1` before the first position to `halfWidth` after the
  /// last. Fills `output` from its start. What an index gets does not depend on the range around it.
  ///
  /// - Complexity: O(n `halfWidth`), without allocation.
  func read(
    _ signal: SampleHistory, along axis: SampleAxis, _ indices: Range<Int>,
    into output: inout [Float]
  ) {
    guard let final = indices.last else { return }
    let start = axis.split(indices.lowerBound).whole - halfWidth + 1
    let end = axis.split(final).whole + halfWidth + 1
    signal.withSamples(start..<end) { samples in
      table.withUnsafeBufferPointer { table in
        output.withUnsafeMutableBufferPointer { output in
          // Neither is empty: a kernel has taps, and a range of positions has samples.
          guard let samples = samples.baseAddress, let table = table.baseAddress else { return }
          for index in indices {
            let (whole, fraction) = axis.split(index)
            let place = fraction * Double(phases)
            let row = Int(place)
            output[index - indices.lowerBound] = Self.weigh(
              samples + (whole - halfWidth + 1 - start), near: table + row * taps,
              far: table + (row + 1) * taps, blend: Float(place - Double(row)), taps: taps)
          }
        }
      }
    }
  }

  /// The sum of samples weighed by a blend of two neighbouring rows of the table.
  @inline(__always)
  private static func weigh(
    _ samples: UnsafePointer<Float>, near: UnsafePointer<Float>, far: UnsafePointer<Float>,
    blend: Float, taps: Int
  ) -> Float {
    var nearSum = SIMD8<Float>.zero
    var farSum = SIMD8<Float>.zero
    for tap in stride(from: 0, to: taps, by: 8) {
      let input = eight(samples + tap)
      nearSum += input * eight(near + tap)
      farSum += input * eight(far + tap)
    }
    return (nearSum + (farSum - nearSum) * blend).sum()
  }

  @inline(__always)
  private static func eight(_ place: UnsafePointer<Float>) -> SIMD8<Float> {
    SIMD8(
      place[0], place[1], place[2], place[3], place[4], place[5], place[6], place[7])
  }

  private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

  /// The Kaiser window at -1...1 for 96 dB: beta = 0.1102 (A - 8.7).
  private static func kaiser(_ x: Double) -> Double {
    let beta = 0.1102 * (96 - 8.7)
    return bessel(beta * max(0, 1 - x * x).squareRoot()) / bessel(beta)
  }

  /// The modified Bessel function of order zero, by its power series.
  private static func bessel(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var order = 1.0
    while term > sum * 1e-17 {
      term *= (x / (2 * order)) * (x / (2 * order))
      sum += term
      order += 1
    }
    return sum
  }
}

/// Where equally spaced indices fall on another count: position = offset + index * increment.
struct SampleAxis: Sendable {
  /// The position of index 0, no less than a million before the start.
  let offset: Double
  /// The way from one index to the next.
  let increment: Double

  /// The sample at or before the position of an index, and the way on from there.
  func split(_ index: Int) -> (whole: Int, fraction: Double) {
    // Shifted to be positive, where a conversion rounds down without a call.
    let position = (offset + 0x1p20) + Double(index) * increment
    let whole = Int(position)
    return (whole - (1 << 20), position - Double(whole))
  }
}
