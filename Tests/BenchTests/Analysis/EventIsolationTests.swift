// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import Bench
@testable import HapticRendering

struct EventIsolationTests {
  private static func tap(_ time: Double, length: Double = 0.022) -> TimelineEvent {
    TimelineEvent(
      index: 0, kind: .transient, start: time,
      envelope: Envelope(
        attack: 0, decay: 0, release: 0, isSustained: true, duration: length), intensity: 1)
  }

  private static func buzz(_ time: Double, _ duration: Double, release: Double = 0.2)
    -> TimelineEvent
  {
    TimelineEvent(
      index: 0, kind: .continuous, start: time,
      envelope: Envelope(
        attack: 0.01, decay: 0, release: release, isSustained: true, duration: duration),
      intensity: 1)
  }

  private static func timeline(_ events: [TimelineEvent]) -> Timeline {
    Timeline(events: events, controls: Controls(), duration: 10)
  }

  private func lonely(_ events: [TimelineEvent], decayTime: Double? = nil) -> [Bool] {
    let timeline = Self.timeline(events)
    let isolation = EventIsolation(timeline, decayTime: decayTime)
    return timeline.events.filter(\.kind.isHaptic).map { isolation.reason($0) == nil }
  }

  @Test func `sixty milliseconds to the next start are enough, less are not`() {
    // The length of the first does not count for the second's start, but its end for the second.
    #expect(lonely([Self.tap(0, length: 0.001), Self.tap(0.0611)]) == [true, true])
    #expect(lonely([Self.tap(0, length: 0.001), Self.tap(0.0599)]) == [false, false])
  }

  @Test func `an event counts from the end of the one before it`() {
    // The second starts 65 ms after the first, but only 43 ms after its end.
    #expect(lonely([Self.tap(0), Self.tap(0.065)]) == [true, false])
    #expect(lonely([Self.buzz(0, 0.5), Self.tap(0.53)]) == [true, false])
    #expect(lonely([Self.buzz(0, 0.5), Self.tap(0.57)]) == [true, true])
  }

  @Test func `a long event shadows all that start before it has ended`() {
    let events = [Self.buzz(0, 1), Self.tap(0.2), Self.tap(0.5), Self.tap(1.2)]
    #expect(lonely(events) == [true, false, false, true])
  }

  @Test func `three decay times count where they are more than sixty milliseconds`() {
    let events = [Self.tap(0, length: 0.001), Self.tap(0.09)]
    #expect(lonely(events, decayTime: 0.028) == [true, true])
    #expect(lonely(events, decayTime: 0.032) == [false, false])
    #expect(lonely(events, decayTime: 0.001) == [true, true])
    #expect(EventIsolation(Self.timeline(events), decayTime: 0.05).margin == 0.15000000000000002)
    #expect(EventIsolation(Self.timeline(events), decayTime: nil).margin == 0.06)
  }

  @Test func `the reason names the neighbour and the distance that is asked for`() throws {
    let timeline = Self.timeline([Self.tap(0), Self.tap(1), Self.tap(1.03)])
    let isolation = EventIsolation(timeline, decayTime: 0.03)
    #expect(isolation.reason(timeline.events[0]) == nil)
    let reason = try #require(isolation.reason(timeline.events[1]))
    #expect(reason == "unresolved: event 2 is less than 90 ms away")
    #expect(isolation.reason(timeline.events[2])?.contains("event 1 ") == true)
  }

  @Test func `sounds are no neighbours`() {
    let sound = TimelineEvent(
      index: 0, kind: .sound, start: 0.01,
      envelope: Envelope(attack: 0, decay: 0, release: 0, isSustained: true, duration: 2),
      sound: TimelineEvent.Sound(path: "a.wav"))
    #expect(lonely([Self.tap(0), sound, Self.tap(0.5)]) == [true, true])
  }

  @Test func `events that are in force together are told as overlapping, both of them`() {
    let timeline = Self.timeline([Self.buzz(0, 1), Self.tap(0.5), Self.tap(2)])
    let isolation = EventIsolation(timeline, decayTime: nil)
    #expect(timeline.events.map { isolation.isOverlapped($0) } == [true, true, false])
  }

  @Test func `the rule holds for any pattern, against its wording`() {
    var random = SeededRandom(seed: 0x150)
    for round in 0..<300 {
      let events = (0..<random.integer(1...8)).map { _ in
        random.chance(0.5)
          ? Self.tap(random.uniform(0...1))
          : Self.buzz(random.uniform(0...1), random.uniform(0.01...0.3))
      }
      let timeline = Self.timeline(events)
      let decay = random.chance(0.5) ? random.uniform(0.001...0.06) : nil
      let isolation = EventIsolation(timeline, decayTime: decay)
      let margin = max(0.06, 3 * (decay ?? 0))
      for event in timeline.events {
        let others = timeline.events.filter { $0.index != event.index }
        let isAlone = others.allSatisfy { other in
          other.index < event.index
            ? event.start - (other.start + other.envelope.duration) >= margin
            : other.start - event.start >= margin
        }
        #expect(
          (isolation.reason(event) == nil) == isAlone,
          "round \(round), \(random), event \(event.index) at \(event.start), decay \(decay ?? 0)")
      }
    }
  }
}
