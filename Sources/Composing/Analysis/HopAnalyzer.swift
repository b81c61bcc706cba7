// SPDX-License-Identifier: Apache-2.0

/// What a hop of sound holds: mean squares over its samples.
package struct Hop: Sendable, Equatable {
  /// Of all frequencies above 10 Hz.
  package var power = 0.0
  /// K-weighted, as loudness is.
  package var loudness = 0.0
  /// Of each octave of the `OctaveBank`.
  package var octaves = SIMD8<Float>()

  @_noAllocation @_noLocks
  package init() {}
}

/// The part of every method that works through samples: a sound in hops of 2.5 ms.
///
/// Runs on a render thread too: no memory, no lock, no call.
package struct HopAnalyzer: Sendable {
  /// The wanted length of a hop, in seconds; a rate rounds it to whole samples.
  package static let hop = 2.5e-3

  /// How many samples a hop has.
  package let length: Int
  private var bank: OctaveBank
  private var weighting: LoudnessWeighting
  private let leak: Double
  private var last = 0.0
  private var centred = 0.0

  package init(rate: Double) {
    length = max(1, Int((Self.hop * rate).rounded()))
    bank = OctaveBank(rate: rate)
    weighting = LoudnessWeighting(rate: rate)
    leak = 1 - 2 * .pi * 10 / rate
  }

  /// Takes the samples of one hop.
  @_noAllocation @_noLocks
  package mutating func analyze(_ samples: Span<Float>) -> Hop {
    var hop = Hop()
    for index in samples.indices {
      let sample = Double(samples[index])
      centred = sample - last + leak * centred
      last = sample
      hop.power += centred * centred
      let weighted = weighting.weigh(sample)
      hop.loudness += weighted * weighted
      hop.octaves += bank.squares(of: Float(centred))
    }
    bank.flush()
    if abs(centred) < 1e-20 { centred = 0 }
    let share = 1 / Double(samples.count)
    hop.power *= share
    hop.loudness *= share
    hop.octaves *= Float(share)
    return hop
  }
}
