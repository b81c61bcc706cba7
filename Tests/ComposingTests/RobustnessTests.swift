// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Glibc
import SeededRandom
import Testing
import Units

struct RobustnessTests {
  /// Notes, noise and pauses.
  static func medley(seconds: Double, rate: SampleRate, _ random: inout SeededRandom) -> [Float] {
    var notes: [(time: Double, level: Double, pitch: Double)] = []
    var time = 0.0
    while time < seconds {
      notes.append((time, random.uniform(-40...0), random.uniform(60...2_000)))
      time += random.uniform(0.03...0.8)
    }
    var sound = Sounds.plucks(notes, seconds: seconds, rate: rate)
    let hiss = Sounds.noise(
      seconds: seconds, level: random.uniform(-80...(-30)), rate: rate, &random)
    for index in sound.indices where index < hiss.count { sound[index] += hiss[index] }
    return sound
  }

  @Test(arguments: ComposeMethod.allCases)
  func `blocks of any size give the same bytes`(method: ComposeMethod) {
    for seed in 0..<4 {
      var random = SeededRandom(seed: UInt64(seed))
      let rate = SampleRate(hertz: [8_000, 22_050, 44_100, 96_000][seed])
      let channels = seed + 1
      let mono = Self.medley(seconds: 2, rate: rate, &random)
      let sound = mono.flatMap { sample in (0..<channels).map { sample / Float($0 + 1) } }
      let settings = ComposeSettings(method)
      let whole = compose(settings, sound, rate: rate, channels: channels, tracePoints: 200)
      for most in [1, 100, 5_000] {
        let parts = compose(
          settings, sound, rate: rate, channels: channels, tracePoints: 200,
          blocks: { random.integer(1...most) })
        #expect(parts == whole, "\(method) \(random) at most \(most)")
        #expect(AHAPWriter.text(parts.pattern) == AHAPWriter.text(whole.pattern))
      }
    }
  }

  @Test(arguments: ComposeMethod.allCases)
  func `samples that are no number count as zero, and are counted`(method: ComposeMethod) {
    var random = SeededRandom(seed: 11)
    var faulty = Self.medley(seconds: 2, rate: Sounds.rate, &random)
    var mended = faulty
    for (index, fault) in [Float.nan, .infinity, -.infinity, .signalingNaN].enumerated() {
      faulty[10_000 + 7_000 * index] = fault
      mended[10_000 + 7_000 * index] = 0
    }
    let composition = compose(method, faulty)
    #expect(composition.faultCount == 4)
    #expect(composition.pattern == compose(method, mended).pattern)
    let none = compose(method, [Float](repeating: .nan, count: 1_000))
    #expect(none.pattern == HapticPattern() && none.faultCount == 1_000)
  }

  @Test(arguments: ComposeMethod.allCases)
  func `no sample, one sample and one hop are sounds`(method: ComposeMethod) {
    for count in [0, 1, 119, 120, 121, 480] {
      for value: Float in [0, 1, -1, 1e30] {
        let composition = compose(method, [Float](repeating: value, count: count))
        #expect(composition.pattern.duration <= composition.duration + 1e-5)
        #expect(composition.duration == Double(count) / 48_000)
      }
    }
  }

  @Test(arguments: ComposeMethod.allCases, [2, 3, 8])
  func `the same in all channels is as in one`(method: ComposeMethod, channels: Int) {
    var random = SeededRandom(seed: 5)
    let mono = Self.medley(seconds: 2, rate: Sounds.rate, &random)
    let many = mono.flatMap { [Float](repeating: $0, count: channels) }
    let (one, all) = (
      compose(method, mono).pattern, compose(method, many, channels: channels).pattern
    )
    #expect(one.taps.count == all.taps.count)
    #expect(one.vibrations.count == all.vibrations.count)
  }

  @Test(arguments: [ComposeMethod.envelope, .onsets])
  func `a channel against another does not cancel it`(method: ComposeMethod) {
    let notes = (0..<6).map { (Double($0) * 0.4 + 0.2, -10.0, 300.0) }
    let mono = Sounds.plucks(notes, seconds: 3)
    let against = mono.flatMap { [$0, -$0] }
    #expect(compose(method, against, channels: 2).pattern.taps.count == 6)
  }

  @Test func `a rate that is not composed at is a programmer's error`() async {
    await #expect(processExitsWith: .failure) {
      _ = Composer(
        ComposeSettings(.envelope), rate: SampleRate(hertz: 7_999), channelCount: 1,
        loudness: SoundLoudness(integrated: nil, loudestMomentary: nil, truePeak: nil))
    }
    await #expect(processExitsWith: .failure) {
      var meter = LoudnessMeter(rate: .standard, channelCount: 2)
      meter.append([0, 0, 0].span)
    }
  }
}
