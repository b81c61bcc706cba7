// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Glibc
import SeededRandom
import Testing
import Units

struct OnsetTests {
  /// Notes at known times, of random pitch and level, dry, in noise and in each other's ring.
  @Test(arguments: [nil, -50.0, -40.0], [8_000.0, 44_100, 48_000, 96_000, 192_000])
  func `each note gives one tap within 3 ms, nearly all of them`(noise: Double?, hertz: Double) {
    let rate = SampleRate(hertz: hertz)
    var random = SeededRandom(seed: 0x24)
    var notes: [(time: Double, level: Double, pitch: Double)] = []
    var time = 0.1
    while time < 7.5 {
      notes.append((time, random.uniform(-16...(-6)), random.uniform(150...900)))
      time += random.uniform(0.12...0.5)
    }
    var sound = Sounds.plucks(notes, seconds: 8, rate: rate)
    if let noise {
      let hiss = Sounds.noise(seconds: 8, level: noise, rate: rate, &random)
      for index in sound.indices { sound[index] += hiss[index] }
    }
    let taps = compose(.onsets, sound, rate: rate).pattern.taps
    let errors = notes.compactMap { note in
      taps.map { abs($0.time - note.time) }.min().flatMap { $0 < 0.01 ? $0 : nil }
    }.sorted()
    let context: Comment = "\(random): \(errors.count) of \(notes.count), \(taps.count) taps"
    #expect(Double(errors.count) >= 0.95 * Double(notes.count), context)
    #expect(Double(taps.count) <= 1.05 * Double(notes.count), context)
    #expect(Statistics.median(errors) < 0.003, context)
  }

  @Test func `a tap's intensity is that of its own note, whatever else sounds`() throws {
    let quiet = Sounds.plucks([(0.5, -20, 300)], seconds: 3)
    let both = Sounds.plucks([(0.5, -20, 300), (1.5, -8, 300)], seconds: 3)
    let loudness = SoundLoudness(integrated: -20, loudestMomentary: -15, truePeak: -6)
    let taps = [quiet, both].map { sound in
      var composer = Composer(
        ComposeSettings(.onsets), rate: Sounds.rate, channelCount: 1, loudness: loudness)
      composer.append(sound.span)
      return composer.finish().pattern.taps
    }
    #expect(taps[0].count == 1 && taps[1].count == 2)
    #expect(taps[0].first?.parameters == taps[1].first?.parameters)
    // 12 dB of sound are 12 dB of tap: a quarter in amplitude is half in intensity.
    let (first, second) = (taps[1][0], taps[1][1])
    let ratio = second.value(of: .hapticIntensity) / first.value(of: .hapticIntensity)
    #expect(abs(40 * log10(ratio) - 12) < 0.3)
  }

  @Test func `a vibrato is one onset`() {
    let sound = Sounds.tone(
      seconds: 4, level: { $0 < 0.5 ? -120 : -12 },
      frequency: { 600 * exp2(0.5 / 12 * sin(2 * .pi * 6 * $0)) })
    #expect(compose(.onsets, sound).pattern.taps.count == 1)
  }

  @Test(arguments: [ComposeMethod.onsets, .envelope, .bands])
  func `steady noise taps where it begins, and hardly ever after`(method: ComposeMethod) {
    var later = 0
    for seed in 0..<6 {
      var random = SeededRandom(seed: UInt64(seed))
      let sound = Sounds.noise(seconds: 5, level: -20, &random)
      later += compose(method, sound).pattern.taps.count { $0.time > 0.05 }
    }
    #expect(later <= 2, "\(method): \(later) in 30 s")
  }

  @Test func `high hits are sharper than low ones`() {
    let pitches = (0..<24).map { 60 * exp2(Double($0) / 4) }
    let notes = pitches.enumerated().map { (Double($0.offset) * 0.4 + 0.2, -10.0, $0.element) }
    let taps = compose(.onsets, Sounds.plucks(notes, seconds: 10)).pattern.taps
    #expect(taps.count == pitches.count)
    let sharpness = taps.map { $0.value(of: .hapticSharpness) }
    #expect(rankCorrelation(sharpness) >= 0.95)
  }
}

/// How well values rise: Spearman's rank correlation with their own order.
func rankCorrelation(_ values: [Double]) -> Double {
  let order = values.indices.sorted { values[$0] < values[$1] }
  let squares = order.enumerated().reduce(0.0) {
    let difference = Double($1.offset - $1.element)
    return $0 + difference * difference
  }
  let count = Double(values.count)
  return 1 - 6 * squares / (count * (count * count - 1))
}
