// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import Perception
import SeededRandom
import Testing
import Units

/// Events that sound together: their sum, its limit, and vibrations lowered under taps.
struct MixingRenderTests {
  @Test(arguments: [0.1, 0.3333, 0.9, 1])
  func `one event at full strength is never changed`(fullScale: Double) {
    var random = SeededRandom(seed: 0x32)
    for _ in 0..<20 {
      let event =
        random.chance(0.5)
        ? transient(at: random.uniform(0...0.01), sharpness: random.uniform())
        : continuous(at: random.uniform(0...0.01), for: 0.1, sharpness: random.uniform())
      func rendered(_ law: MixingLaw) -> Rendered {
        Rendered(
          HapticPattern(events: [event]),
          RenderConfiguration(mixingLaw: law, fullScale: fullScale))
      }
      let (limited, plain) = (rendered(.standard), rendered(.sum))
      #expect(limited.bits == plain.bits, "\(event), \(random)")
      #expect(limited.limitedFrames == 0)
    }
  }

  @Test func `events after one another are never changed`() {
    let events = (0..<10).map { transient(at: 0.022 * Double($0)) }
    let pattern = HapticPattern(events: events)
    let limited = Rendered(pattern)
    #expect(limited.bits == Rendered(pattern, RenderConfiguration(mixingLaw: .sum)).bits)
    #expect(limited.limitedFrames == 0)
  }

  @Test func `sums that stay below full scale are never changed`() {
    let events = (0..<5).map {
      continuous(at: 0.01 * Double($0), for: 0.2, intensity: 0.4, sharpness: 0.2 * Double($0))
    }
    let pattern = HapticPattern(events: events)
    let limited = Rendered(pattern)
    #expect(limited.bits == Rendered(pattern, RenderConfiguration(mixingLaw: .sum)).bits)
    #expect(limited.limitedFrames == 0)
  }

  @Test(arguments: [0.25, 1.0])
  func `a sum above full scale is the law's, in units of full scale`(fullScale: Double) {
    let pattern = HapticPattern(events: [
      continuous(at: 0, for: 0.2, sharpness: 0.5), continuous(at: 0.003, for: 0.2, sharpness: 0.7),
      transient(at: 0.1),
    ])
    let sum = Rendered(pattern, RenderConfiguration(mixingLaw: .sum, fullScale: fullScale))
    let limited = Rendered(pattern, RenderConfiguration(fullScale: fullScale))
    let expected = sum.haptic.map {
      MixingLaw.standard.limited(Double($0) / fullScale) * fullScale
    }
    #expect(distance(limited.haptic, expected) < 3e-6 * fullScale)
    #expect(sum.limitedFrames == 0)
    #expect(limited.limitedFrames == sum.haptic.filter { Double(abs($0)) > fullScale }.count)
    #expect(limited.limitedFrames > 1000)
    #expect(limited.haptic.allSatisfy { Double(abs($0)) < 1.5 * fullScale })
  }

  @Test func `a tap lowers the vibration under it and lets it come back`() {
    let events = [continuous(at: 0, for: 0.2, sharpness: 0.4), transient(at: 0.10003)]
    func drive(_ events: [HapticEvent], _ law: MixingLaw) -> [Float] {
      Rendered.drive(HapticPattern(events: events), RenderConfiguration(mixingLaw: law))
    }
    let vibration = drive([events[0]], .sum)
    let tap = drive([events[1]], .sum)
    let both = drive(events, .sum.ducking(0.8))
    let expected = vibration.enumerated().map { frame, value -> Double in
      let age = Double(frame) / 48_000 - 0.10003
      let weight = age >= 0 && age < 22e-3 ? (1 + cos(.pi * age / 22e-3)) / 2 : 0
      return Double(value) * (1 - 0.2 * weight) + (frame < tap.count ? Double(tap[frame]) : 0)
    }
    #expect(distance(both, expected) < 2e-6)
  }

  @Test func `a tap of intensity 0 ducks nothing`() {
    let events = [continuous(at: 0, for: 0.2), transient(at: 0.1, intensity: 0)]
    let ducked = Rendered.drive(
      HapticPattern(events: events), RenderConfiguration(mixingLaw: .ducked))
    #expect(ducked == Rendered.drive(HapticPattern(events: [events[0]])))
  }

  @Test func `the rendered vibration is lowered by what the intent says`() {
    var random = SeededRandom(seed: 0x33)
    for _ in 0..<6 {
      let taps = (0..<8).map { _ in
        transient(at: random.uniform(0...0.3), intensity: random.chance(0.2) ? 0 : 1)
      }
      let configuration = RenderConfiguration(
        waveform: .level, mixingLaw: .sum.ducking(random.uniform()))
      let all = HapticPattern(events: [continuous(at: 0, for: 0.3)] + taps)
      let timeline = Timeline(all, configuration: configuration)
      let intent = Intent(timeline: timeline, configuration: configuration)
      let drive = Rendered.drive(all, configuration)
      let tapsOnly = Rendered.drive(HapticPattern(events: taps), configuration)
      for frame in 100..<14_000 {
        let time = Double(frame) / 48_000
        let tap = frame < tapsOnly.count ? tapsOnly[frame] : 0
        let weight = intent.weight(of: timeline.events[0], at: time)
        #expect(abs(Double(drive[frame] - tap) - weight) < 1e-5, "frame \(frame), \(random)")
      }
    }
  }
}
