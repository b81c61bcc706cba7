// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Glibc
import SeededRandom
import Testing
import Units

struct BeatTests {
  /// Short clicks in a little noise.
  private func clicks(
    _ times: [Double], seconds: Double, _ random: inout SeededRandom
  ) -> [Float] {
    var sound = Sounds.noise(seconds: seconds, level: -60, &random)
    for time in times {
      let first = Int(time * Sounds.rate.hertz)
      for index in 0..<960 where first + index < sound.count {
        let own = Double(index) / Sounds.rate.hertz
        sound[first + index] += Float(0.5 * exp(-240 * own) * sin(2 * .pi * 1_500 * own))
      }
    }
    return sound
  }

  private func beats(_ sound: [Float]) throws -> Beats? {
    let composition = compose(.onsets, sound, tracePoints: 100_000)
    let trace = try #require(composition.trace)
    return Beats(
      rise: trace.rise, step: trace.step, onsets: composition.pattern.taps.map(\.time))
  }

  @Test(arguments: [60.0, 66, 75, 90, 100, 119.5, 133, 144, 160, 180, 200])
  func `clicks have their tempo and their times`(tempo: Double) throws {
    var random = SeededRandom(seed: 5)
    let times = Array(stride(from: 0.21, to: 20, by: 60 / tempo))
    let found = try #require(try beats(clicks(times, seconds: 20.3, &random)))
    #expect(abs(found.tempo / tempo - 1) < 0.01, "\(found.tempo)")
    #expect(found.times.count == times.count, "\(found.times.count) of \(times.count)")
    for time in times {
      #expect(found.times.contains { abs($0 - time) < 0.01 }, "none at \(time)")
    }
  }

  @Test func `a beat that is left out is still a beat`() throws {
    var random = SeededRandom(seed: 6)
    let times = (0..<32).map { 0.4 + 0.5 * Double($0) }
    let heard = times.enumerated().filter { $0.offset % 8 != 5 }.map(\.element)
    let found = try #require(try beats(clicks(heard, seconds: 17, &random)))
    #expect(abs(found.tempo - 120) < 1.2)
    for time in times { #expect(found.times.contains { abs($0 - time) < 0.01 }, "\(time)") }
  }

  @Test func `hits by hand are followed`() throws {
    var random = SeededRandom(seed: 7)
    let times = (0..<40).map { 0.3 + 0.5 * Double($0) + 0.008 * random.gaussian() }
    let found = try #require(try beats(clicks(times, seconds: 21, &random)))
    #expect(abs(found.tempo - 120) < 1.2)
    for time in times { #expect(found.times.contains { abs($0 - time) < 0.01 }, "\(time)") }
  }

  @Test func `a sound without a beat has none`() throws {
    var random = SeededRandom(seed: 8)
    let tone = Sounds.tone(seconds: 10, level: { _ in -20 }, frequency: { _ in 440 })
    let noise = Sounds.noise(seconds: 10, level: -20, &random)
    for sound in [[], [Float](repeating: 0, count: 96_000), tone, noise] {
      #expect(try beats(sound) == nil)
    }
    for round in 0..<8 {
      let times = (0..<(15 + 5 * round)).map { _ in random.uniform(0...20) }.sorted()
      #expect(try beats(clicks(times, seconds: 20.3, &random)) == nil, "round \(round)")
    }
  }
}
