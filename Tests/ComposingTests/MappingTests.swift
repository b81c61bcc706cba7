// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Glibc
import Perception
import SeededRandom
import Testing
import Units

struct MappingTests {
  static let layered: [ComposeMethod] = [.envelope, .bands, .pitch]

  /// A tone that grows by 40 dB in 10 s; the level that the pattern asks for, by the law `square`.
  @Test(arguments: layered)
  func `the vibration follows the level within 1 dB over 40 dB`(method: ComposeMethod) throws {
    let sound = Sounds.tone(seconds: 10, level: { -46 + 4 * $0 }, frequency: { _ in 300 })
    let pattern = compose(method, sound) { $0[.dynamics] = 1 }.pattern
    var differences: [Double] = []
    for step in 1..<99 {
      let time = Double(step) / 10
      let vibration = try #require(pattern.vibration(at: time), "\(time) s")
      guard vibration.intensity < 0.95 else { continue }
      let share = IntensityLaw.square.share(of: vibration.intensity)
      differences.append(20 * log10(share) - 4 * time)
    }
    #expect(differences.count > 90)
    let middle = Statistics.median(differences)
    #expect(differences.allSatisfy { abs($0 - middle) <= 1 })
  }

  @Test func `dynamics is what one dB is worth`() throws {
    let sound = Sounds.tone(seconds: 4, level: { $0 < 2 ? -20 : -32 }, frequency: { _ in 300 })
    for dynamics in [0.25, 0.5, 1] {
      let pattern = compose(.envelope, sound) { $0[.dynamics] = dynamics }.pattern
      let loud = try #require(pattern.vibration(at: 1.5)?.intensity)
      let soft = try #require(pattern.vibration(at: 3.5)?.intensity)
      #expect(abs(40 * log10(loud / soft) - 12 * dynamics) < 1.2)
    }
  }

  @Test(arguments: layered)
  func `sharpness follows a swept tone`(method: ComposeMethod) throws {
    let sound = Sounds.tone(
      seconds: 8, level: { _ in -12 }, frequency: { 50 * exp2($0 * 0.8) })
    let pattern = compose(method, sound).pattern
    let sharpness = try (1..<78).map { step in
      try #require(pattern.vibration(at: Double(step) / 10 + 0.1)).sharpness
    }
    #expect(rankCorrelation(sharpness) >= 0.95)
    #expect(sharpness.allSatisfy { (0...1).contains($0) })
  }

  @Test(arguments: layered, [8_000.0, 48_000, 192_000])
  func `a steady tone is one vibration without a tremor`(method: ComposeMethod, hertz: Double) {
    let rate = SampleRate(hertz: hertz)
    let sound = Sounds.tone(seconds: 3, rate: rate, level: { _ in -12 }, frequency: { _ in 150 })
    let pattern = compose(method, sound, rate: rate).pattern
    #expect(pattern.vibrations.count == 1)
    let values = (2...28).compactMap { pattern.vibration(at: Double($0) / 10)?.intensity }
    #expect(values.count == 27)
    #expect((values.max() ?? 1) / (values.min() ?? 0) < 1.05)
  }

  @Test(arguments: layered)
  func `20 Hz is felt`(method: ComposeMethod) {
    let sound = Sounds.tone(seconds: 3, level: { _ in -6 }, frequency: { _ in 20 })
    let pattern = compose(method, sound).pattern
    let felt = (1...29).filter { pattern.vibration(at: Double($0) / 10) != nil }
    #expect(felt.count >= 27)
  }

  @Test func `clipping adds no event`() {
    let notes = (0..<10).map { (Double($0) * 0.4 + 0.2, -6.0, 200.0 + 30 * Double($0)) }
    let clean = Sounds.plucks(notes, seconds: 5)
    let clipped = clean.map { max(-0.5, min(0.5, 2 * $0)) }
    #expect(
      compose(.onsets, clipped).pattern.taps.count == compose(.onsets, clean).pattern.taps.count)
  }

  @Test(arguments: ComposeMethod.allCases)
  func `what is quieter than -70 LUFS is silence`(method: ComposeMethod) {
    var random = SeededRandom(seed: 7)
    let silence = [Float](repeating: 0, count: 48_000)
    let dither = Sounds.noise(seconds: 2, level: -96, &random)
    let offset = [Float](repeating: 1e-5, count: 48_000)
    for sound in [silence, dither, offset] {
      #expect(compose(method, sound).pattern == HapticPattern())
    }
  }

  @Test(arguments: ComposeMethod.allCases)
  func `a pause gives no event`(method: ComposeMethod) {
    let sound = Sounds.tone(
      seconds: 6, level: { (2..<4).contains($0) ? -200 : -12 }, frequency: { _ in 300 })
    let pattern = compose(method, sound).pattern
    #expect(!pattern.events.isEmpty)
    for event in pattern.events {
      #expect(event.end < 2.25 || event.time > 3.99, "\(event.time) to \(event.end) s")
    }
  }
}
