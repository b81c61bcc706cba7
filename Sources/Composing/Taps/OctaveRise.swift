// SPDX-License-Identifier: Apache-2.0

/// Finds where octaves rise together, soon: taps for the continuous methods.
///
/// The mean over the octaves of how many dB each rose within 10 ms. A band counts for itself, so a hit under
/// a loud note is found, which a rise of the whole would hide.
package struct OctaveRise: Sendable {
  private var levels: InlineArray<6, SIMD8<Float>>
  private var smoothed = SIMD8<Float>()
  private var count = 0
  private var strengths = (0.0, 0.0)
  private var since: Int
  private let floor: Float
  private let threshold: Double
  private let spacing: Int
  private let hop: Double

  /// How much the octaves rise in the newest hop, in dB.
  package var strength: Double { strengths.1 }

  /// From an onset to its being known, in seconds: two hops.
  package var delay: Double { 2 * hop }

  package init(_ settings: ComposeSettings, reference: Double, hop: Double) {
    // What lies deeper below the loudness of the sound is not looked at.
    floor = Float(power(ofDecibels: reference - 40))
    levels = .init(repeating: SIMD8(repeating: Float(reference - 40)))
    threshold = settings.value(.threshold)
    spacing = Int((settings.value(.spacing) / hop).rounded())
    since = spacing
    self.hop = hop
  }

  /// Takes a hop; the hop before it may turn out to be an onset.
  @_noAllocation @_noLocks
  package mutating func isOnset(_ next: Hop) -> Bool {
    smoothed += 0.5 * (next.octaves - smoothed)
    var level = SIMD8<Float>()
    for band in 0..<8 {
      level[band] = Float(decibels(ofPower: Double(smoothed[band] + floor)))
    }
    var before = levels[(count + 1) % 6]
    before = pointwiseMax(before, levels[(count + 2) % 6])
    before = pointwiseMax(before, levels[(count + 3) % 6])
    levels[count % 6] = level
    count += 1
    let rise = pointwiseMax(level - before, SIMD8<Float>())
    let strength = Double(rise.sum()) / 8
    let isPeak = strengths.1 > strengths.0 && strengths.1 >= strength
    let found = isPeak && strengths.1 >= threshold && since >= spacing
    since = found ? 1 : min(since + 1, 1 << 30)
    strengths = (strengths.1, strength)
    return found
  }
}
