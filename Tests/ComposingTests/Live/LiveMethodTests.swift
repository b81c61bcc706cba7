// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import Glibc
import SeededRandom
import Testing

@testable import Composing

/// A method alone, without a rig: how late it is, and what it makes of silence and of loudness.
struct LiveMethodTests {
  private static let rate = 48_000.0

  /// The amplitude that a method leads a vibration to, sample by sample, and when taps begin, of a sound.
  private func follow(
    _ method: inout LiveMethod, _ sound: [Float]
  ) -> (amplitude: [Double], taps: [(place: Int, intensity: Double)]) {
    var amplitude = [Double](repeating: 0, count: sound.count + method.hopLength)
    var taps: [(Int, Double)] = []
    var level = 0.0
    var place = 0
    while place + method.hopLength <= sound.count {
      let cue = method.hear(sound.span.extracting(place..<(place + method.hopLength)))
      place += method.hopLength
      if cue.tapIntensity > 0 { taps.append((place, cue.tapIntensity)) }
      for index in 0..<method.hopLength {
        let share = Double(index) / Double(method.hopLength)
        let own = level + share * (cue.intensity - level)
        amplitude[place + index] = own * own
      }
      level = cue.intensity
    }
    return (amplitude, taps)
  }

  /// A sound that begins at a sample.
  private func step(at place: Int, _ wave: (Int) -> Double) -> [Float] {
    (0..<(place + 14_400)).map { $0 < place ? 0 : Float(wave($0 - place)) }
  }

  /// How long after a sample a step of the amplitude is, in seconds, as the middle of what it lacks of its end.
  private func delay(of amplitude: [Double], after place: Int) -> Double {
    let end = amplitude[(place + 7_200)..<(place + 12_000)].reduce(0, +) / 4_800
    let lacking = amplitude[place..<(place + 4_800)].reduce(0) { $0 + max(0, 1 - $1 / end) }
    return lacking / Self.rate
  }

  @Test(arguments: [ComposeMethod.envelope, .bands])
  func `the vibration follows a step as late as the method states`(method: ComposeMethod) {
    let stated = LiveMethod(ComposeSettings(method), rate: Self.rate).delay
    #expect(stated.longest <= (method == .envelope ? 5e-3 : 20e-3))
    var delays: [Double] = []
    for phase in stride(from: 0, to: 120, by: 4) {
      var live = LiveMethod(ComposeSettings(method), rate: Self.rate)
      live.set(gain: 0, gate: LiveMethod.standardGate, bands: 0)
      let place = 14_400 + phase
      // All hops of it are as loud: the step is one.
      let sound = step(at: place) { 0.1 * SineTable.sine(0.0625 * Double($0)) }
      delays.append(delay(of: follow(&live, sound).amplitude, after: place))
    }
    let mean = delays.reduce(0, +) / Double(delays.count)
    // How fast a band rises depends on its width: that of the highest one is the least.
    let most = method == .envelope ? 1e-4 : 3e-4
    #expect(abs(mean - stated.typical) < most, "\(method): \(mean) s, stated \(stated.typical) s")
    #expect((delays.max() ?? 1) <= stated.longest + 1e-4, "\(delays)")
  }

  @Test(arguments: [ComposeMethod.envelope, .bands], [80.0, 150, 400, 1000, 3000, 6000])
  func `no tone is followed later than the method states`(
    method: ComposeMethod, frequency: Double
  ) {
    for phase in [0, 30, 60, 90, 119] {
      var live = LiveMethod(ComposeSettings(method), rate: Self.rate)
      live.set(gain: 0, gate: LiveMethod.standardGate, bands: 0)
      let stated = live.delay
      let place = 14_400 + phase
      let sound = step(at: place) { 0.1 * SineTable.sine(frequency * Double($0) / Self.rate) }
      let found = delay(of: follow(&live, sound).amplitude, after: place)
      // The level of a tone that begins is known after half a period.
      #expect(found <= stated.longest + 0.5 / frequency, "\(frequency) Hz at \(phase): \(found) s")
    }
  }

  @Test func `a tap begins as late after a hit as the method states`() {
    let method = ComposeMethod.onsets
    var random = SeededRandom(seed: 0x7a9)
    let stated = LiveMethod(ComposeSettings(method), rate: Self.rate).delay
    #expect(stated.longest <= 20e-3)
    var delays: [Double] = []
    var strengths: [Double] = []
    for phase in 0..<120 {
      var live = LiveMethod(ComposeSettings(method), rate: Self.rate)
      live.set(gain: 0, gate: LiveMethod.standardGate, bands: 0)
      let place = 14_400 + phase
      let sound = step(at: place) { age in
        age < 2_400 ? random.uniform(-0.5...0.5) * (1 - Double(age) / 2_400) : 0
      }
      let taps = follow(&live, sound).taps
      #expect(taps.count == 1, "\(taps) at \(phase)")
      guard let tap = taps.first else { continue }
      delays.append(Double(tap.place - place) / Self.rate)
      strengths.append(tap.intensity)
    }
    let mean = delays.reduce(0, +) / Double(delays.count)
    #expect(abs(mean - stated.typical) < 1e-4, "\(method): \(mean) s, stated \(stated.typical) s")
    #expect((delays.max() ?? 1) <= stated.longest + 1e-4, "\(delays)")
    #expect((strengths.max() ?? 0) < 1.25 * (strengths.min() ?? 0), "\(strengths)")
  }

  @Test(arguments: LiveMethod.methods)
  func `silence, noise below the gate and what is no number ask for nothing`(
    method: ComposeMethod
  ) {
    var random = SeededRandom(seed: 0x51)
    for sound in [
      [Float](repeating: 0, count: 96_000),
      (0..<96_000).map { _ in Float(random.uniform(-3e-4...3e-4)) },
    ] {
      var live = LiveMethod(ComposeSettings(method), rate: Self.rate)
      let (amplitude, taps) = follow(&live, sound)
      #expect(amplitude.allSatisfy { $0 == 0 })
      #expect(taps.isEmpty)
      #expect(live.gain == 0, "nothing is learnt of what is below the gate")
    }
  }

  @Test func `the gain rides slowly to one loudness, and stays where it is in a pause`() {
    var random = SeededRandom(seed: 0x9a1)
    for (amplitude, sign) in [(0.01, 1.0), (0.9, -1.0)] {
      var live = LiveMethod(ComposeSettings(.envelope), rate: Self.rate)
      var gains: [Double] = []
      var hop = [Float](repeating: 0, count: live.hopLength)
      for _ in 0..<4_800 {
        for index in hop.indices { hop[index] = Float(random.uniform(-amplitude...amplitude)) }
        _ = live.hear(hop.span)
        gains.append(live.gain)
      }
      let steepest = zip(gains, gains.dropFirst()).map { abs($1 - $0) }.max() ?? 1
      #expect(steepest <= 3 * live.hop + 1e-9)
      #expect(gains[4_799] * sign > 3)
      #expect(abs(gains[4_799] - gains[4_000]) < 0.5, "it has come to rest")
      #expect(abs(gains[4_799]) <= 20)
      hop = hop.map { _ in 0 }
      for _ in 0..<4_800 { _ = live.hear(hop.span) }
      #expect(abs(live.gain - gains[4_799]) < 0.2)
      live.set(gain: 6, gate: LiveMethod.standardGate, bands: 0)
      #expect(live.gain == 6)
    }
  }

  @Test(
    .enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"),
    arguments: LiveMethod.methods)
  func `no memory is asked for`(method: ComposeMethod) {
    var random = SeededRandom(seed: 0xa110)
    let sound = (0..<48_000).map { Float($0 % 9_600 < 2_400 ? random.uniform(-0.5...0.5) : 0) }
    var live = LiveMethod(ComposeSettings(method), rate: Self.rate)
    // What is looked up once is looked up.
    for place in stride(from: 0, to: 9_600, by: 120) {
      _ = live.hear(sound.span.extracting(place..<(place + 120)))
    }
    allocationCounterStart()
    for place in stride(from: 0, to: 48_000 - 120, by: 120) {
      _ = live.hear(sound.span.extracting(place..<(place + 120)))
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
  }
}

private enum SineTable {
  /// The sine of turns.
  static func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }
}
