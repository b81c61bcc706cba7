// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import Perception
import SeededRandom
import Testing

/// What a pattern asks for at each instant, against the written rules.
struct IntentTests {
  private func intent(
    _ pattern: HapticPattern, _ configuration: RenderConfiguration = .init()
  ) -> Intent {
    Intent(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
  }

  @Test func `any pattern asks for what the plain model asks for`() throws {
    var random = SeededRandom(seed: 0x17)
    for _ in 0..<60 {
      let pattern = random.pattern(length: 1, hapticOnly: true)
      let moves = random.chance(0.5)
      let intent = intent(pattern, RenderConfiguration(sharpnessControlMovesTransients: moves))
      let model = NaiveModel(pattern, sharpnessControlMovesTransients: moves)
      for event in pattern.events {
        let resolved = try #require(
          intent.timeline.events.first {
            $0.start == event.time && $0.kind.rawValue == event.kind.rawValue
          })
        for _ in 0..<20 {
          let time = random.uniform((event.time - 0.01)...(event.time + 0.6))
          let detail = "\(event.kind) from \(event.time) s at \(time) s, \(random)"
          let strength = intent.intensity(of: resolved, at: time)
          #expect(abs(strength - model.intensity(of: event, at: time)) < 1e-9, "\(detail)")
          let sharpness = intent.sharpness(of: resolved, at: time)
          #expect(abs(sharpness - model.sharpness(of: event, at: time)) < 1e-9, "\(detail)")
          let hertz = intent.frequency(of: resolved, at: time)
          #expect(abs(hertz - model.frequency(of: event, at: time)) < 1e-6, "\(detail)")
        }
      }
    }
  }

  @Test func `intensity multiplies and sharpness adds, both limited to 0 and 1`() {
    var random = SeededRandom(seed: 0x18)
    for _ in 0..<1000 {
      let (i, s) = (random.uniform(), random.uniform())
      let (factor, offset) = (random.uniform(), random.uniform(-1...1))
      let pattern = HapticPattern(
        events: [continuous(at: 0, for: 1, intensity: i, sharpness: s)],
        parameters: [step(.hapticIntensity, at: 0, factor), step(.hapticSharpness, at: 0, offset)])
      let intent = intent(pattern)
      let event = intent.timeline.events[0]
      #expect(abs(intent.intensity(of: event, at: 0.5) - i * factor) < 1e-12, "\(random)")
      let expected = min(1, max(0, s + offset))
      #expect(abs(intent.sharpness(of: event, at: 0.5) - expected) < 1e-12, "\(random)")
    }
  }

  // The example of WWDC: intensity 0.3 sent at 0.5 s.
  @Test func `a step cuts what follows and not what was`() {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 1, intensity: 1), transient(at: 0.7, intensity: 0.5)],
      parameters: [step(.hapticIntensity, at: 0.5, 0.3)])
    let intent = intent(pattern)
    let events = intent.timeline.events
    #expect(intent.intensity(of: events[0], at: 0.49) == 1)
    #expect(abs(intent.intensity(of: events[0], at: 0.51) - 0.3) < 1e-12)
    #expect(abs(intent.intensity(of: events[1], at: 0.71) - 0.15) < 1e-12)
  }

  @Test func `a transient takes the intensity control of its start and keeps it`() {
    let pattern = HapticPattern(
      events: [transient(at: 0.1, intensity: 0.8)],
      curves: [curve(.hapticIntensity, at: 0.1, [(0, 0.5), (0.01, 0), (0.02, 1)])])
    let intent = intent(pattern)
    let event = intent.timeline.events[0]
    for age in [0, 0.005, 0.01, 0.02] {
      #expect(abs(intent.intensity(of: event, at: 0.1 + age) - 0.4) < 1e-12)
    }
  }

  // Apple's Boing: the transient at 0 has full strength, its curve starts at 0.015 s.
  @Test func `a curve that starts after a transient does not reach it`() {
    let pattern = HapticPattern(
      events: [transient(at: 0, intensity: 1)],
      curves: [curve(.hapticIntensity, at: 0.015, [(0, 0.2), (0.25, 0)])])
    let intent = intent(pattern)
    #expect(intent.intensity(of: intent.timeline.events[0], at: 0.018) == 1)
  }

  // Apple's Gravel and Rumble are transients under one intensity curve.
  @Test func `a curve acts on every event of the pattern`() {
    let events = (0..<20).map { transient(at: 0.05 * Double($0), intensity: 0.9) }
    let pattern = HapticPattern(
      events: events, curves: [curve(.hapticIntensity, at: 0, [(0, 0), (1, 1)])])
    let intent = intent(pattern)
    for event in intent.timeline.events {
      let strength = intent.intensity(of: event, at: event.start)
      #expect(abs(strength - 0.9 * event.start) < 1e-12)
    }
  }

  @Test(arguments: [false, true])
  func `the sharpness control moves transients only where it is asked to`(moves: Bool) {
    let pattern = HapticPattern(
      events: [transient(at: 0.1, sharpness: 0.5), continuous(at: 0.1, for: 1, sharpness: 0.5)],
      parameters: [step(.hapticSharpness, at: 0, 0.3), step(.hapticSharpness, at: 0.11, -0.3)])
    let intent = intent(pattern, RenderConfiguration(sharpnessControlMovesTransients: moves))
    let events = intent.timeline.events
    #expect(abs(intent.sharpness(of: events[0], at: 0.115) - (moves ? 0.8 : 0.5)) < 1e-12)
    #expect(abs(intent.sharpness(of: events[1], at: 0.105) - 0.8) < 1e-12)
    #expect(abs(intent.sharpness(of: events[1], at: 0.115) - 0.2) < 1e-12)
  }

  @Test func `a transient falls as half a raised cosine`() {
    let intent = intent(HapticPattern(events: [transient(at: 0.1)]))
    let event = intent.timeline.events[0]
    #expect(intent.weight(of: event, at: 0.0999) == 0)
    #expect(intent.weight(of: event, at: 0.1) == 1)
    #expect(abs(intent.weight(of: event, at: 0.111) - 0.5) < 1e-9)
    #expect(abs(intent.weight(of: event, at: 0.1 + 0.022 / 4) - 0.8535533905932737) < 1e-9)
    #expect(intent.weight(of: event, at: 0.1221) == 0)
  }

  @Test func `a law of sharpness decides the frequency`() {
    let pattern = HapticPattern(events: [continuous(at: 0, for: 1, sharpness: 0.5)])
    for (law, hertz) in [
      (SharpnessLaw.log80To230, 135.64659966), (.linear80To230, 155), (.mpeg65To300, 182.5),
    ] {
      let intent = intent(pattern, RenderConfiguration(sharpnessLaw: law))
      #expect(abs(intent.frequency(of: intent.timeline.events[0], at: 0.5) - hertz) < 1e-6)
    }
  }

  @Test func `sounds ask for no vibration`() {
    let intent = intent(HapticPattern(events: [tone(at: 0, for: 1), sound(at: 0, for: 1)]))
    for event in intent.timeline.events {
      #expect(intent.intensity(of: event, at: 0.5) == 0)
    }
  }
}
