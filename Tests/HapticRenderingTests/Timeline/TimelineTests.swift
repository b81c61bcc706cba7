// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import SeededRandom
import Testing

struct TimelineTests {
  private func timeline(
    _ events: [HapticEvent], _ steps: [DynamicParameter] = []
  ) -> Timeline {
    Timeline(HapticPattern(events: events, parameters: steps), configuration: .init())
  }

  @Test func `events come in the order of time, those of one time in the order of the file`() {
    let timeline = timeline([
      transient(at: 0.5, intensity: 0.1), transient(at: 0, intensity: 0.2),
      transient(at: 0.5, intensity: 0.3), transient(at: 0.25, intensity: 0.4),
    ])
    #expect(timeline.events.map(\.intensity) == [0.2, 0.4, 0.1, 0.3])
    #expect(timeline.events.map(\.index) == [0, 1, 2, 3])
  }

  @Test func `what an event leaves out is the default of its type`() {
    let timeline = timeline([
      transient(at: 0, intensity: nil, sharpness: nil),
      continuous(at: 1, for: 1, intensity: nil, sharpness: nil),
    ])
    #expect(timeline.events.map(\.intensity) == [0.75, 0.6])
    #expect(timeline.events.map(\.sharpness) == [0.5, 0.422601])
    #expect(timeline.events[1].envelope.isSustained)
    #expect(timeline.events[1].envelope.attack == 1e-3)
    #expect(timeline.events[1].envelope.release == 1e-3)
  }

  @Test func `other defaults may be given`() {
    var defaults = EventDefaults.apple
    defaults.transient.intensity = 0.25
    let pattern = HapticPattern(events: [transient(at: 0, intensity: nil)])
    let timeline = Timeline(pattern, configuration: .init(), defaults: defaults)
    #expect(timeline.events[0].intensity == 0.25)
  }

  @Test func `a transient has the shape's length whatever envelope and duration it carries`() {
    var event = transient(at: 0.1)
    event.duration = 0.5
    event.parameters.attackTime = 1
    event.parameters.decayTime = 1
    event.parameters.releaseTime = 1
    event.parameters.sustained = 0
    let timeline = timeline([event])
    #expect(abs(timeline.events[0].end - 0.122) < 1e-12)
    #expect(timeline.events[0].envelope.gain(at: 0) == 1)
    #expect(timeline.events[0].envelope.gain(at: 0.0219) == 1)
    // The longer duration only pads the pattern.
    #expect(timeline.duration == 0.6)
  }

  @Test func `a pattern lasts to its last event or parameter, and its release goes beyond`() {
    let events = [continuous(at: 0.5, for: 1, [.releaseTime: 1])]
    #expect(timeline(events).duration == 1.5)
    #expect(abs(timeline(events).end - 2.5) < 1e-12)
    #expect(timeline(events, [step(.hapticIntensity, at: 4, 1)]).duration == 4)
    #expect(timeline([]).duration == 0)
    #expect(timeline([]).end == 0)
  }

  @Test func `a sound lasts as long as its file unless it says otherwise`() {
    let pattern = HapticPattern(events: [
      sound("two.wav", at: 1), sound("two.wav", at: 1, for: 0.5), sound("two.wav", at: 1, for: 0),
      sound("two.wav", at: 1, [.audioPitch: 1]), sound("none.wav", at: 1),
      sound("two.wav", at: 1, for: 3),
    ])
    let timeline = Timeline(
      pattern, configuration: .init(), soundDuration: { $0 == "two.wav" ? 2 : nil })
    #expect(timeline.events.map(\.envelope.duration) == [2, 0.5, 2, 1, 0, 3])
    #expect(timeline.duration == 4)
  }

  @Test func `a continuous event lasts thirty seconds at most`() {
    let long = timeline([continuous(at: 1, for: 175.3), tone(at: 0, for: 31)])
    #expect(long.events.map(\.envelope.duration) == [30, 30])
    #expect(long.duration == 31)
    var tap = transient(at: 0)
    tap.duration = 40
    #expect(timeline([tap]).duration == 40)
  }

  @Test func `a sound that is not ramped has no envelope and one that is ends with its file`() {
    let values: [EventParameterID: Double] = [
      .sustained: 0, .attackTime: 0.5, .decayTime: 0.5, .releaseTime: 0.5,
    ]
    let pattern = HapticPattern(events: [
      sound("two.wav", at: 0, values), sound("two.wav", at: 1, envelope: true, values),
      sound("two.wav", at: 2, for: 1, envelope: true, values),
      sound("two.wav", at: 3, for: 3, envelope: true, values),
      sound("two.wav", at: 4, for: 3, envelope: true, loops: true, values),
    ])
    let timeline = Timeline(pattern, configuration: .init(), soundDuration: { _ in 2 })
    let release = EnvelopeLaw.standard.seconds(0.5)
    #expect(timeline.events.allSatisfy { $0.envelope.isSustained })
    let ends = timeline.events.map { $0.end - $0.start }
    let expected = [2, 2, 1 + release, 2, 3 + release]
    #expect(zip(ends, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(ends)")
    #expect(timeline.events[0].envelope.attack == 0 && timeline.events[0].envelope.release == 0)
    #expect(timeline.events[1].envelope.attack == release)
    #expect(timeline.duration == 7)
  }

  @Test func `a release longer than a file takes half of it`() {
    let pattern = HapticPattern(events: [
      sound("a.wav", at: 0, envelope: true, [.releaseTime: 1])
    ])
    let timeline = Timeline(pattern, configuration: .init(), soundDuration: { _ in 0.1 })
    #expect(abs(timeline.events[0].envelope.release - 0.05) < 1e-12)
    #expect(abs(timeline.events[0].end - 0.1) < 1e-12)
  }

  // The integral of 2^p reaches the file's 2 s. Steps: 0.5 s at 1, then at 2: 0.5 + 1.5/2 s.
  // A ramp from 0 to 1 in 1 s plays 1/ln 2 = 1.442695 s, the rest at double speed: 1.278652 s.
  @Test func `a sound under a moving pitch ends when it is played`() throws {
    func length(_ pattern: HapticPattern) -> Double? {
      Timeline(pattern, configuration: .init(), soundDuration: { _ in 2 }).events
        .first?.envelope.duration
    }
    let stepped = try #require(
      length(HapticPattern(events: [sound(at: 1)], parameters: [step(.audioPitch, at: 1.5, 1)])))
    #expect(abs(stepped - 1.25) < 1e-12)
    let ramped = try #require(
      length(
        HapticPattern(
          events: [sound(at: 1)], curves: [curve(.audioPitch, at: 1, [(0, 0), (1, 1)])])))
    #expect(abs(ramped - 1.278652479555519) < 1e-12)
    // An event's own octave and the control's are held to one.
    let held = try #require(
      length(
        HapticPattern(
          events: [sound(at: 1, [.audioPitch: 1])],
          curves: [curve(.audioPitch, at: 1, [(0, 0), (1, 1)])])))
    #expect(abs(held - 1) < 1e-12)
    let slow = try #require(
      length(HapticPattern(events: [sound(at: 1)], parameters: [step(.audioPitch, at: 0, -1)])))
    #expect(abs(slow - 4) < 1e-12)
  }

  @Test func `envelope controls are taken where an event begins`() {
    let steps = [
      step(.hapticAttackTime, at: 0.5, 0.4), step(.hapticReleaseTime, at: 0.5, 0.9),
      step(.hapticDecayTime, at: 0.5, -1),
    ]
    let values: [EventParameterID: Double] = [.attackTime: 0.3, .releaseTime: 0.3, .decayTime: 0.3]
    let timeline = timeline(
      [continuous(at: 0, for: 1, values), continuous(at: 0.5, for: 1, values)], steps)
    let law = EnvelopeLaw.standard
    #expect(timeline.events[0].envelope.attack == law.seconds(0.3))
    #expect(timeline.events[1].envelope.attack == law.seconds(0.7))
    #expect(timeline.events[1].envelope.release == law.seconds(1))
    #expect(timeline.events[1].envelope.decay == law.seconds(0))
  }

  @Test func `haptic envelope controls leave sounds alone and the reverse`() {
    let steps = [
      step(.hapticAttackTime, at: 0, 0.5), step(.hapticDecayTime, at: 0, 0.5),
      step(.hapticReleaseTime, at: 0, 0.5),
    ]
    let others = [
      step(.audioAttackTime, at: 0, 0.5), step(.audioDecayTime, at: 0, 0.5),
      step(.audioReleaseTime, at: 0, 0.5),
    ]
    let (haptic, audible) = (continuous(at: 0, for: 1), tone(at: 0, for: 1))
    #expect(timeline([audible], steps).events == timeline([audible]).events)
    #expect(timeline([haptic], others).events == timeline([haptic]).events)
    #expect(timeline([haptic], steps).events != timeline([haptic]).events)
    #expect(timeline([audible], others).events != timeline([audible]).events)
  }

  @Test func `envelope values and controls add and are limited to 0 and 1`() {
    var random = SeededRandom(seed: 0xe1)
    let ids: [(EventParameterID, DynamicParameterID)] = [
      (.attackTime, .hapticAttackTime), (.decayTime, .hapticDecayTime),
      (.releaseTime, .hapticReleaseTime),
    ]
    for _ in 0..<500 {
      let (value, control) = (random.uniform(), random.uniform(-1...1))
      let (event, dynamic) = ids[random.integer(0...2)]
      let timeline = timeline(
        [continuous(at: 0, for: 1, [event: value])], [step(dynamic, at: 0, control)])
      let expected = EnvelopeLaw.standard.seconds(min(1, max(0, value + control)))
      let envelope = timeline.events[0].envelope
      let seconds = [envelope.attack, envelope.decay, envelope.release]
      let place = event == .attackTime ? 0 : event == .decayTime ? 1 : 2
      #expect(abs(seconds[place] - expected) < 1e-12, "\(value) + \(control), \(random)")
    }
  }
}
