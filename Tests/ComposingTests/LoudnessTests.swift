// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import Testing
import Units

@testable import Composing

struct LoudnessTests {
  /// EBU Tech 3341: a tone of 1 kHz at -23 dB of full scale in both channels is -23 LUFS, so in one it is 3 less.
  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `a tone has the loudness of the recommendation`(hertz: Double) throws {
    let rate = SampleRate(hertz: hertz)
    let tone = Sounds.tone(seconds: 5, rate: rate, level: { _ in -23 }, frequency: { _ in 1_000 })
    var meter = LoudnessMeter(rate: rate, channelCount: 1)
    meter.append(tone.span)
    let loudness = meter.finish()
    #expect(abs(try #require(loudness.integrated) + 26.0) < 0.1)
    #expect(abs(try #require(loudness.loudestMomentary) + 26.0) < 0.1)
    #expect(abs(try #require(loudness.truePeak) + 23.0) < 0.2)
  }

  @Test func `a click has a loudness, silence none`() {
    var meter = LoudnessMeter(rate: .standard, channelCount: 1)
    meter.append([1, -1, 1, -1].span)
    #expect(meter.finish().reference != nil)
    let nothing = LoudnessMeter(rate: .standard, channelCount: 1).finish()
    #expect(nothing.reference == nil && nothing.truePeak == nil && nothing.integrated == nil)
  }

  /// The filters of the hops beside libebur128, which has its own.
  @Test(arguments: [8_000.0, 48_000, 192_000], [100.0, 1_000, 3_000])
  func `hops are weighted as the meter weighs`(hertz: Double, frequency: Double) throws {
    let rate = SampleRate(hertz: hertz)
    let tone = Sounds.tone(
      seconds: 2, rate: rate, level: { _ in -12 }, frequency: { _ in frequency })
    var meter = LoudnessMeter(rate: rate, channelCount: 1)
    meter.append(tone.span)
    var analyzer = HopAnalyzer(rate: hertz)
    var (sum, count) = (0.0, 0)
    for first in stride(from: 0, to: tone.count - analyzer.length, by: analyzer.length) {
      let hop = analyzer.analyze(tone.span.extracting(first..<(first + analyzer.length)))
      guard first > tone.count / 2 else { continue }
      sum += hop.loudness
      count += 1
    }
    let own = 10 * log10(sum / Double(count)) + LoudnessWeighting.offset
    #expect(abs(own - (try #require(meter.finish().loudestMomentary))) < 0.15)
  }

  @Test func `octaves hold their own tones and share out white noise`() {
    for octave in 0..<OctaveBank.count {
      var bank = OctaveBank(rate: 48_000)
      let frequency = OctaveBank.lowest * Double(1 << octave)
      let tone = Sounds.tone(seconds: 1, level: { _ in 0 }, frequency: { _ in frequency })
      var sum = SIMD8<Float>()
      for sample in tone { sum += bank.squares(of: sample) }
      let levels = (0..<8).map { 10 * log10(Double(sum[$0] / sum[octave])) }
      for other in 0..<8 where other != octave {
        #expect(levels[other] < -4 * Double(abs(other - octave)), "\(octave) in \(other)")
      }
    }
  }

  @Test func `logarithms and powers are those of the C library`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<10_000 {
      let x = exp2(random.uniform(-300...300))
      #expect(abs(binaryLogarithm(x) - log2(x)) < 1e-9, "\(x)")
      let y = random.uniform(-300...300)
      #expect(abs(powerOfTwo(y) / exp2(y) - 1) < 1e-8, "\(y)")
    }
    #expect(decibels(ofPower: 0) == -.infinity && powerOfTwo(-.infinity) == 0)
    #expect(powerOfTwo(0) == 1 && binaryLogarithm(1) == 0)
  }
}
