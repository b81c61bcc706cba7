// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Units

func composing() {
  // Half a second of silence, then a hit that dies away.
  let rate = SampleRate(hertz: 48_000)
  var sound = [Float](repeating: 0, count: 24_000)
  for frame in 0..<24_000 {
    let fall = Float(24_000 - frame) / 24_000
    let sign: Float = frame / 60 % 2 == 0 ? 1 : -1
    sound.append(0.5 * fall * fall * fall * sign)
  }

  var meter = LoudnessMeter(rate: rate, channelCount: 1)
  meter.append(sound.span)
  var composer = Composer(
    ComposeSettings(.onsets), rate: rate, channelCount: 1, loudness: meter.finish())
  composer.append(sound.span)
  let composition = composer.finish()
  for event in composition.pattern.events {
    print(event.kind.rawValue, "at \((event.time * 1_000).rounded()) ms")
  }
}
