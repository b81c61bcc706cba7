// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Takes every n-th sample of a sound of a high rate, behind a low-pass, so that spectra up to 17 kHz cost no more than
/// at 44.1 or 48 kHz.
///
/// A windowed sinc (Blackman) of 24 taps for each sample that comes out, -6 dB at half of the lower rate. From 0.385
/// of that rate down it is flat, and what would be folded there, from 0.615 of it on, is 74 dB below: at 44.1 kHz these
/// are 17 and 27.1 kHz.
struct Decimator {
  /// Of so many samples one is left; 1 where the rate is low already.
  let factor: Int
  /// From a sample to its middle in what comes out, in seconds.
  let delay: Double
  private let taps: [SIMD8<Float>]
  /// The samples that the next one to come out begins with.
  private var line: [Float]

  private static let lowest = 44_100.0

  init(rate: Double) {
    let factor = max(1, Int(rate / Self.lowest))
    let length = 24 * factor
    let middle = Double(length - 1) / 2
    let raw = (0..<length).map { place -> Double in
      let x = .pi * (Double(place) - middle) / Double(factor)
      let turn = 2 * .pi * (Double(place) + 0.5) / Double(length)
      return sin(x) / x * (0.42 - 0.5 * cos(turn) + 0.08 * cos(2 * turn))
    }
    let sum = raw.reduce(0, +)
    taps = stride(from: 0, to: length, by: 8).map { first in
      var own = SIMD8<Float>()
      for index in 0..<8 { own[index] = Float(raw[first + index] / sum) }
      return own
    }
    self.factor = factor
    delay = factor == 1 ? 0 : middle / rate
    line = [Float](repeating: 0, count: length - factor)
  }

  /// Takes samples and adds those that are left to others.
  mutating func take(_ samples: Span<Float>, into found: inout [Float]) {
    guard factor > 1 else {
      for index in samples.indices { found.append(samples[index]) }
      return
    }
    for index in samples.indices { line.append(samples[index]) }
    let (count, length) = (line.count, 8 * taps.count)
    var first = 0
    line.withUnsafeBytes { line in
      while first + length <= count {
        var sum = SIMD8<Float>()
        for index in taps.indices {
          let offset = 4 * (first + 8 * index)
          sum += taps[index] * line.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        }
        found.append(sum.sum())
        first += factor
      }
    }
    line.removeFirst(first)
  }
}
