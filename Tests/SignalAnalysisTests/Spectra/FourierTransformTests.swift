// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

struct FourierTransformTests {
  @Test func `forward and back is identity`() {
    var noise = Noise(seed: 71)
    for length in [2, 6, 480, 1_050] {
      let samples = (0..<length).map { _ in noise.gaussian() }
      var transform = FourierTransform(length: length)
      let back = transform.inverse(transform.forward(samples.span))
      let worst = zip(samples, back).map { abs($0 - $1) }.max() ?? 1
      #expect(worst < 1e-13, "length \(length), seed 71: \(worst)")
    }
  }

  @Test func `the bins are those of NumPy`() {
    // numpy.fft.rfft([1, 2, -1, 3, 0, 0.5])
    let samples = [1, 2, -1, 3, 0, 0.5]
    var transform = FourierTransform(length: 6)
    let bins = transform.forward(samples.span)
    let expected = [
      Complex(5.5, 0.0),
      Complex(-0.24999999999999978, -0.4330127018922192),
      Complex(3.25, -2.1650635094610964),
      Complex(-5.5, 0.0),
    ]
    #expect(bins.count == 4)
    for (bin, reference) in zip(bins, expected) {
      #expect((bin - reference).magnitude < 1e-14)
    }
  }

  @Test func `short input is followed by zeros, whatever came before`() {
    var transform = FourierTransform(length: 8)
    let long = [Double](repeating: 5, count: 8)
    _ = transform.forward(long.span)
    let impulse = [1.0]
    for bin in transform.forward(impulse.span) { #expect((bin - Complex(1)).magnitude < 1e-15) }
  }

  @Test func `single precision input gives what double precision does`() {
    let samples: [Float] = [0.5, -0.25, 1, 0.125]
    let doubles = samples.map(Double.init)
    var transform = FourierTransform(length: 4)
    let (single, double) = (transform.forward(samples.span), transform.forward(doubles.span))
    #expect(single == double)
  }

  @Test func `fast lengths are even, not below, and of small primes`() {
    for count in 1...3_000 {
      let length = FourierTransform.fastLength(atLeast: count)
      #expect(length >= count && length.isMultiple(of: 2))
      var rest = length
      for prime in [2, 3, 5, 7] { while rest.isMultiple(of: prime) { rest /= prime } }
      #expect(rest == 1, "\(count) gives \(length)")
    }
    #expect(FourierTransform.fastLength(atLeast: 48_000) == 48_000)
  }

  @Test func `common lengths are fast, and four in an octave`() {
    let lengths = Set((1...8_192).map { FourierTransform.commonLength(atLeast: $0) })
    #expect(lengths.count(where: { (1_024..<8_192).contains($0) }) == 12)
    for count in 1...8_192 {
      let length = FourierTransform.commonLength(atLeast: count)
      #expect(length >= count && length < max(4, 5 * (count + 1) / 4 + 1), "\(count): \(length)")
      #expect(FourierTransform.fastLength(atLeast: length) == length)
    }
  }
}
