// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import SeededRandom
import Testing
import Units

/// A sound that is heard once and composed many times.
struct KeptSoundTests {
  @Test(arguments: [8_000.0, 44_100, 192_000])
  func `what is kept of a sound gives the pattern of the sound itself, in any order`(
    hertz: Double
  ) {
    let rate = SampleRate(hertz: hertz)
    var random = SeededRandom(seed: 0x4e97)
    let mono = RobustnessTests.medley(seconds: 3, rate: rate, &random)
    let sound = mono.flatMap { [$0, $0 / 2] } + [.nan, 0]
    var meter = LoudnessMeter(rate: rate, channelCount: 2)
    meter.append(sound.span)
    let kept = KeptSound(sound.span, rate: rate, channelCount: 2, loudness: meter.finish())
    for (method, parameter, values) in [
      (.envelope, .threshold, [4, 1, 12]), (.onsets, .threshold, [0.75, 0.2, 3, 0.75]),
      (.bands, .noiseMargin, [0, 9]), (.pitch, .lowest, [60, 200]),
      (.envelope, .gate, [-60, -20]), (.onsets, .spacing, [0.03, 0.5]),
    ] as [(ComposeMethod, ComposeParameter, [Double])] {
      for value in values {
        var settings = ComposeSettings(method)
        settings[parameter] = value
        let whole = compose(settings, sound, rate: rate, channels: 2, tracePoints: 200)
        let again = kept.compose(settings, tracePoints: 200)
        #expect(again == whole, "\(method), \(parameter) \(value)")
        #expect(!whole.pattern.events.isEmpty && whole.faultCount == 1)
      }
    }
  }

  @Test func `silence is kept as silence`() {
    let silence = [Float](repeating: 0, count: 4_800)
    let none = SoundLoudness(integrated: nil, loudestMomentary: nil, truePeak: nil)
    let kept = KeptSound(silence.span, rate: .standard, channelCount: 1, loudness: none)
    for method in ComposeMethod.allCases {
      let composition = kept.compose(ComposeSettings(method))
      #expect(composition.pattern.events.isEmpty && composition.duration == 0.1)
    }
  }
}
