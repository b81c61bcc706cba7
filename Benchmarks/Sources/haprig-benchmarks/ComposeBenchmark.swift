// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Foundation
import Units

/// Sound to haptics: times real time of each method, and what it holds in memory however long a sound is.
struct ComposeBenchmark {
  private static let rates = [48_000.0, 192_000]

  /// Prints times real time in processor time, the pass of the loudness and the method apart, and memory.
  func report() {
    // First, for a peak is never taken back.
    memory()
    for hertz in Self.rates {
      let rate = SampleRate(hertz: hertz)
      print("a minute of notes and hits at \(rate), one channel, blocks of 4096 frames")
      let sound = minute(rate)
      var loudness = SoundLoudness(integrated: nil, loudestMomentary: nil, truePeak: nil)
      let pass = leastWork(of: 3) { loudness = measure(sound, rate, minutes: 1) }
      row("the pass of the loudness", times(60 / pass), "")
      for method in ComposeMethod.allCases {
        let work = leastWork(of: 3) { _ = compose(method, sound, rate, loudness, minutes: 1) }
        let both = times(60 / (pass + work))
        row(method.rawValue, times(60 / work), "\(both) with that pass, aim: 100 at 48000 Hz")
      }
      print("")
    }
  }

  /// How much more memory an hour takes than a minute: that of its events and points, and nothing else.
  private func memory() {
    print("peak memory of the process, 48 kHz; the sound itself is a minute, over and over")
    let rate = SampleRate.standard
    let sound = minute(rate)
    let loudness = measure(sound, rate, minutes: 1)
    for method in ComposeMethod.allCases {
      let short = compose(method, sound, rate, loudness, minutes: 1)
      let before = peak()
      let long = compose(method, sound, rate, loudness, minutes: 60)
      let grown = Double(peak() - before) / 1024
      row(
        "\(method.rawValue), an hour over a minute", String(format: "%.1f MiB more", grown),
        "\(short) and \(long) events and points")
    }
    print("")
  }

  private func times(_ ratio: Double) -> String { String(format: "%.0f times real time", ratio) }

  private func blocks(_ sound: [Float], minutes: Int, _ take: (Span<Float>) -> Void) {
    for _ in 0..<minutes {
      for first in stride(from: 0, to: sound.count, by: 4_096) {
        take(sound.span.extracting(first..<min(first + 4_096, sound.count)))
      }
    }
  }

  private func measure(_ sound: [Float], _ rate: SampleRate, minutes: Int) -> SoundLoudness {
    var meter = LoudnessMeter(rate: rate, channelCount: 1)
    blocks(sound, minutes: minutes) { meter.append($0) }
    return meter.finish()
  }

  /// How many events and points there are.
  private func compose(
    _ method: ComposeMethod, _ sound: [Float], _ rate: SampleRate, _ loudness: SoundLoudness,
    minutes: Int
  ) -> Int {
    var composer = Composer(
      ComposeSettings(method), rate: rate, channelCount: 1, loudness: loudness)
    blocks(sound, minutes: minutes) { composer.append($0) }
    let pattern = composer.finish().pattern
    return pattern.events.count + pattern.curves.reduce(0) { $0 + $1.points.count }
  }

  /// Five notes a second over noise, always the same.
  private func minute(_ rate: SampleRate) -> [Float] {
    var state: UInt32 = 24
    func random() -> Double {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Double(state >> 8) / Double(1 << 24)
    }
    var sound = (0..<Int(60 * rate.hertz)).map { _ in Float(0.002 * (random() - 0.5)) }
    for note in 0..<300 {
      let (pitch, level) = (100 * exp2(4 * random()), 0.05 + 0.3 * random())
      let first = Int((0.2 * Double(note) + 0.05 * random()) * rate.hertz)
      for index in first..<min(sound.count, first + Int(rate.hertz)) {
        let time = Double(index - first) / rate.hertz
        sound[index] += Float(level * exp(-6 * time) * sin(2 * .pi * pitch * time))
      }
    }
    return sound
  }

  /// The most memory that the process has had, in KiB.
  private func peak() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
