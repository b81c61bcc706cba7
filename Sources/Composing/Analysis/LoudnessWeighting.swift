// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The K-weighting of ITU-R BS.1770-4, designed for any rate: a shelf for the head and a high-pass.
struct LoudnessWeighting {
  private var shelf: Biquad
  private var highPass: Biquad

  init(rate: Double) {
    // The analogue prototypes behind the coefficients that the recommendation lists for 48 kHz.
    let k = tan(.pi * min(1681.974450955533, 0.45 * rate) / rate)
    let (high, middle, q) = (1.584864701130855, 1.258720930232562, 0.7071752369554196)
    let a0 = 1 + k / q + k * k
    shelf = Biquad(
      b0: (high + middle * k / q + k * k) / a0, b1: 2 * (k * k - high) / a0,
      b2: (high - middle * k / q + k * k) / a0, a1: 2 * (k * k - 1) / a0,
      a2: (1 - k / q + k * k) / a0)
    let w = tan(.pi * 38.13547087602444 / rate)
    let p = 0.5003270373238773
    let c0 = 1 + w / p + w * w
    highPass = Biquad(
      b0: 1, b1: -2, b2: 1, a1: 2 * (w * w - 1) / c0, a2: (1 - w / p + w * w) / c0)
  }

  /// What adds to the level of a K-weighted mean square to make it a loudness in LUFS.
  static var offset: Double {
    @_noAllocation @_noLocks get { -0.691 }
  }

  /// What the power of each octave is multiplied by, at its middle.
  static func octaves(rate: Double) -> SIMD8<Float> {
    let weighting = LoudnessWeighting(rate: rate)
    var weights = SIMD8<Float>()
    for band in 0..<OctaveBank.count {
      let gain = weighting.gain(at: min(0.45, OctaveBank.lowest * Double(1 << band) / rate))
      weights[band] = Float(gain * gain)
    }
    return weights
  }

  /// What a tone of a frequency is multiplied by, as a share of the sample rate.
  func gain(at turns: Double) -> Double { shelf.gain(at: turns) * highPass.gain(at: turns) }

  @_noAllocation @_noLocks @inline(__always)
  mutating func weigh(_ sample: Double) -> Double { highPass.filter(shelf.filter(sample)) }
}

/// A second-order filter in the transposed direct form II.
struct Biquad {
  let b0: Double
  let b1: Double
  let b2: Double
  let a1: Double
  let a2: Double
  private var first = 0.0
  private var second = 0.0

  init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0, b1, b2, a1, a2)
  }

  /// The magnitude of the response: |b0 + b1 z + b2 z^2| / |1 + a1 z + a2 z^2| on the unit circle.
  func gain(at turns: Double) -> Double {
    let (first, second) = (2 * .pi * turns, 4 * .pi * turns)
    func magnitude(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
      hypot(c0 + c1 * cos(first) + c2 * cos(second), c1 * sin(first) + c2 * sin(second))
    }
    return magnitude(b0, b1, b2) / magnitude(1, a1, a2)
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func filter(_ sample: Double) -> Double {
    let output = b0 * sample + first
    first = b1 * sample - a1 * output + second
    second = b2 * sample - a2 * output
    return output
  }
}
