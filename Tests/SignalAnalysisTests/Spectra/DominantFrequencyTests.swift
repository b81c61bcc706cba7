// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct DominantFrequencyTests {
  private func tone(_ frequency: Double, _ phase: Double, amplitude: Double, count: Int) -> [Double]
  {
    (0..<count).map { amplitude * sin(2 * .pi * frequency * Double($0) / 48_000 + phase) }
  }

  @Test func `a tone is found between the bins`() throws {
    var noise = Noise(seed: 81)
    for _ in 0..<30 {
      let (frequency, phase) = (noise.uniform(60...900), noise.uniform(0...6.28))
      let samples = floats(tone(frequency, phase, amplitude: 0.7, count: 9_600))
      let found = try #require(DominantFrequency.estimate(samples, rate: .standard))
      // One bin without padding is 5 Hz.
      #expect(abs(found.frequency.value - frequency) < 0.01, "seed 81, \(frequency) Hz: \(found)")
      #expect(abs(found.amplitude - 0.7) < 0.005, "seed 81, \(frequency) Hz: \(found)")
    }
  }

  @Test func `in noise the stated uncertainty covers the truth`() throws {
    var noise = Noise(seed: 82)
    var covered = 0
    for _ in 0..<100 {
      let frequency = noise.uniform(100...500)
      let clean = tone(frequency, noise.uniform(0...6.28), amplitude: 1, count: 4_800)
      let samples = noise.added(to: clean, sigma: 1)
      let found = try #require(DominantFrequency.estimate(samples, rate: .standard))
      if abs(found.frequency.value - frequency) < 2 * found.frequency.uncertainty { covered += 1 }
    }
    #expect(covered >= 88, "seed 82: \(covered) of 100 within two uncertainties")
  }

  @Test func `noise alone has no dominant frequency`() {
    var found = 0
    for seed in UInt64(1)...20 {
      var noise = Noise(seed: seed)
      let samples = noise.added(to: [Double](repeating: 0, count: 4_800), sigma: 1)
      if DominantFrequency.estimate(samples, rate: .standard, band: 50...500) != nil { found += 1 }
    }
    // The largest of 45 bins stands ln 45 / ln 2 = 7.4 dB above the median; 12 dB come by chance in 1 of 1,000.
    #expect(found <= 1, "seeds 1 to 20: \(found)")
  }

  @Test func `silence, too few samples and a tone outside the band give nothing`() {
    let silence = [Float](repeating: 0, count: 4_800)
    let few: [Float] = [1, -1, 1]
    let high = floats(tone(5_000, 0, amplitude: 1, count: 4_800))
    #expect(DominantFrequency.estimate(silence, rate: .standard) == nil)
    #expect(DominantFrequency.estimate(few, rate: .standard) == nil)
    #expect(DominantFrequency.estimate(high, rate: .standard, band: 20...1_000) == nil)
  }
}
