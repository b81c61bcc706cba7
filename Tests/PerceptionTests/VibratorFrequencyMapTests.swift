import Perception
import Testing

struct VibratorFrequencyMapTests {
  // The example map of AOSP's default vibrator HAL, worked out by hand from the adapter's rules.
  @Test func `the example map is perceptible from 46 to 300 Hz and holds 41 dB at resonance`()
    throws
  {
    let map = VibratorFrequencyMap.aospExample
    #expect(map.perceptiblePoints() == 46...300)
    let level = try #require(map.highestLevel())
    // 20 log10(3) + 31.35
    #expect(abs(level - 40.8924) < 1e-3, "\(level) dB")
  }

  // The threshold at 46 Hz and 10 dB: -32.288 + 10 dB re 1 g = 0.07683 g; between 0.01 g at 30 Hz and
  // 0.09 g at 46 Hz that is at 30 + 16 (0.07683 - 0.01) / 0.08 Hz.
  @Test func `sharpness begins where the line between two points crosses the threshold`() throws {
    let range = try #require(VibratorFrequencyMap.aospExample.sharpnessRange())
    #expect(abs(range.lowerBound - 43.366) < 1e-2, "\(range)")
    #expect(range.upperBound == 300)
  }

  // Android's own test: range 100 / 150 / 200 Hz gives 125 Hz at 0.35 and 175 Hz at 0.85.
  @Test func `the resonance lies at sharpness 0,7`() throws {
    let map = VibratorFrequencyMap(
      points: [
        .init(frequency: 100, gravities: 1), .init(frequency: 150, gravities: 2),
        .init(frequency: 200, gravities: 1),
      ], resonance: 150)
    let law = try #require(map.sharpnessLaw())
    #expect(law == .pinned(low: 100, resonance: 150, high: 200))
    #expect(abs(law.frequency(of: 0.35) - 125) < 1e-9)
    #expect(abs(law.frequency(of: 0.85) - 175) < 1e-9)
  }

  @Test func `the range ends at the last crossing`() throws {
    let map = VibratorFrequencyMap(
      points: [
        .init(frequency: 60, gravities: 0.5), .init(frequency: 100, gravities: 0),
        .init(frequency: 150, gravities: 2), .init(frequency: 250, gravities: 0),
      ], resonance: 150)
    let range = try #require(map.sharpnessRange())
    #expect(range.lowerBound == 60)
    // Threshold at 250 Hz and 10 dB: -18.98 dB re 1 g = 0.11246 g; 250 - 100 * 0.11246 / 2.
    #expect(abs(range.upperBound - 244.377) < 1e-2, "\(range)")
  }

  @Test func `a map that is nowhere perceptible has no range`() {
    let map = VibratorFrequencyMap(
      points: [.init(frequency: 100, gravities: 0.01), .init(frequency: 200, gravities: 0.02)],
      resonance: 150)
    #expect(map.sharpnessRange() == nil && map.perceptiblePoints() == nil)
    #expect(map.highestLevel() == nil && map.sharpnessLaw() == nil)
  }
}
