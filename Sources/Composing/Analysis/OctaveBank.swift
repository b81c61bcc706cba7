// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The energies of a sound in eight octaves, in the domain of time: 62.5 Hz to 8 kHz.
///
/// Each band is a Butterworth high-pass at its lower edge and a low-pass at its upper one, 12 dB an octave, as
/// state-variable filters in the trapezoidal form, which single precision suffices for at every rate. Bands
/// that the rate has no room for stay empty.
struct OctaveBank {
  /// The centre of the lowest band, in hertz.
  static let lowest = 62.5
  static let count = 8

  private var high: StateVariable
  private var low: StateVariable
  /// 1 where the rate has room for the band, else 0.
  private let present: SIMD8<Float>

  init(rate: Double) {
    var (lower, upper, present) = (
      SIMD8<Double>(), SIMD8<Double>(), SIMD8<Float>()
    )
    for band in 0..<Self.count {
      let centre = Self.lowest * Double(1 << band)
      lower[band] = min(centre * 0.5.squareRoot(), 0.4 * rate)
      upper[band] = min(centre * 2.0.squareRoot(), 0.49 * rate)
      present[band] = centre < 0.45 * rate ? 1 : 0
    }
    high = StateVariable(corners: lower, rate: rate)
    low = StateVariable(corners: upper, rate: rate)
    self.present = present
  }

  /// The squares of a sample's share in each band.
  @_noAllocation @_noLocks @inline(__always)
  mutating func squares(of sample: Float) -> SIMD8<Float> {
    let share = low.lowPass(high.highPass(SIMD8(repeating: sample))) * present
    return share * share
  }

  /// Takes away what is too small to be heard and slows a processor down.
  @_noAllocation @_noLocks
  mutating func flush() {
    high.flush()
    low.flush()
  }
}

/// Eight second-order filters of Butterworth's damping side by side.
///
/// Source: Zavalishin, The Art of VA Filter Design, 2018, chapter 4; Simper's form of it.
private struct StateVariable {
  private let a1: SIMD8<Float>
  private let a2: SIMD8<Float>
  private let a3: SIMD8<Float>
  private var first = SIMD8<Float>()
  private var second = SIMD8<Float>()

  init(corners: SIMD8<Double>, rate: Double) {
    var (a1, a2, a3) = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
    for index in 0..<8 {
      let g = tan(.pi * corners[index] / rate)
      let own = 1 / (1 + g * (g + 2.0.squareRoot()))
      a1[index] = Float(own)
      a2[index] = Float(g * own)
      a3[index] = Float(g * g * own)
    }
    (self.a1, self.a2, self.a3) = (a1, a2, a3)
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func lowPass(_ input: SIMD8<Float>) -> SIMD8<Float> { step(input).low }

  @_noAllocation @_noLocks @inline(__always)
  mutating func highPass(_ input: SIMD8<Float>) -> SIMD8<Float> {
    let (band, low) = step(input)
    return input - 1.4142135 * band - low
  }

  @_noAllocation @_noLocks @inline(__always)
  private mutating func step(
    _ input: SIMD8<Float>
  ) -> (band: SIMD8<Float>, low: SIMD8<Float>) {
    let difference = input - second
    let band = a1 * first + a2 * difference
    let low = second + a2 * first + a3 * difference
    first = 2 * band - first
    second = 2 * low - second
    return (band, low)
  }

  @_noAllocation @_noLocks
  mutating func flush() {
    let tiny = SIMD8<Float>(repeating: 1e-20)
    first.replace(with: 0, where: (first .< tiny) .& (first .> -tiny))
    second.replace(with: 0, where: (second .< tiny) .& (second .> -tiny))
  }
}
