// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import SeededRandom
import Testing

@testable import HapticClips

/// Clips with points closer than curves may have them.
struct DensePointsTests {
  /// A clip of 200 points at random in half a second.
  private func denseClip(_ random: inout SeededRandom) -> HapticClip {
    var times: Set<Double> = [0, 0.5]
    while times.count < 200 { times.insert((random.uniform(0...0.5) * 1e6).rounded() / 1e6) }
    return HapticClip(
      amplitude: times.sorted().map { time in
        let level = random.uniform()
        let tap = HapticClip.Emphasis(amplitude: random.uniform(level...1), frequency: 0.5)
        return .init(time: time, amplitude: level, emphasis: random.chance(0.1) ? tap : nil)
      })
  }

  /// How far the intensity is off at each point, and how far the nearest other point is.
  private func errors(_ clip: HapticClip, _ pattern: HapticPattern) -> [(
    gap: Double, error: Double
  )] {
    let timeline = Timeline(pattern, configuration: RenderConfiguration())
    let intensity = timeline.events.first { $0.kind == .continuous }?.intensity ?? 0
    return clip.amplitude.indices.map { index in
      let point = clip.amplitude[index]
      let others = [index - 1, index + 1].filter(clip.amplitude.indices.contains)
      let wanted = point.amplitude.squareRoot() * (point.emphasis == nil ? 1 : 0.8)
      let found = intensity * timeline.controls.intensity.value(at: point.time)
      return (
        others.map { abs(clip.amplitude[$0].time - point.time) }.min() ?? .infinity,
        abs(found - wanted)
      )
    }
  }

  @Test func `points 1 ms from their neighbours stay, and what is lost is said`() throws {
    for seed in 0..<12 {
      var random = SeededRandom(seed: UInt64(seed))
      let clip = denseClip(&random)
      for split in [false, true] {
        let result = PatternsFromClip(clip, split: split)
        let errors = errors(clip, result.files[0].pattern)
        let kept = errors.filter { $0.gap >= 1e-3 }
        #expect(kept.count > 50 && kept.allSatisfy { $0.error < 1e-3 }, "\(random)")
        let lost = errors.map(\.error).filter { $0 > 1e-2 }
        let most = ((lost.max() ?? 0) * 100).rounded() / 100
        #expect(
          result.changes.contains(
            "\(lost.count) points of the amplitude are missed, for curves need 1 ms between their "
              + "points: there the intensity is off by up to \(most)."), "\(random)")
      }
    }
  }

  @Test func `a clip too long to split says so`() {
    let result = PatternsFromClip(clip([(0, 0.25), (1e300, 0.25)]))
    #expect(result.files[0].pattern.events.map(\.duration) == [30])
    #expect(
      result.changes == [
        "The clip lasts more than 3600 s; its continuous signal is limited to 30 s."
      ])
  }
}
