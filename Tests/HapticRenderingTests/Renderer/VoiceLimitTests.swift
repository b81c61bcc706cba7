// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import SeededRandom
import Testing

struct VoiceLimitTests {
  private func renderer(_ pattern: HapticPattern, limit: Int) -> HapticRenderer {
    let configuration = RenderConfiguration(voiceLimit: limit)
    return HapticRenderer(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
  }

  @Test func `events beyond the limit are left out and counted`() {
    let events = (0..<5).map {
      continuous(at: 0.01 * Double($0), for: 0.5, intensity: 0.5, sharpness: 0.2 * Double($0))
    }
    let renderer = renderer(HapticPattern(events: events), limit: 3)
    #expect(renderer.droppedEvents == 2)
    let limited = Rendered.drive(
      HapticPattern(events: events), RenderConfiguration(voiceLimit: 3))
    let admitted = Rendered.drive(HapticPattern(events: Array(events.prefix(3))))
    #expect(Array(limited.prefix(admitted.count)) == admitted)
    #expect(limited.dropFirst(admitted.count).allSatisfy { $0 == 0 })
  }

  @Test func `an event that is over makes room`() {
    let events = (0..<10).map { transient(at: 0.03 * Double($0)) }
    #expect(renderer(HapticPattern(events: events), limit: 1).droppedEvents == 0)
    let overlapping = (0..<10).map { transient(at: 0.02 * Double($0)) }
    #expect(renderer(HapticPattern(events: overlapping), limit: 1).droppedEvents == 5)
    #expect(renderer(HapticPattern(events: overlapping), limit: 2).droppedEvents == 0)
  }

  @Test func `a hundred and twenty-eight at once are rendered by default`() {
    let events = (0..<130).map { _ in transient(at: 0, intensity: 0.1) }
    let configuration = RenderConfiguration()
    let timeline = Timeline(HapticPattern(events: events), configuration: configuration)
    let renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    #expect(renderer.droppedEvents == 2)
  }

  @Test func `the weakest is left out whole, of equals the one that begins later`() {
    let levels = [0.5, 0.2, 0.8, 0.5, 0.9]
    let events = levels.enumerated().map {
      continuous(at: 0.01 * Double($0), for: 0.5, intensity: $1, sharpness: 0.2 * Double($0))
    }
    let renderer = renderer(HapticPattern(events: events), limit: 3)
    #expect(renderer.droppedEventIndices == [1, 3])
    let limited = Rendered.drive(
      HapticPattern(events: events), RenderConfiguration(voiceLimit: 3))
    let kept = Rendered.drive(HapticPattern(events: [0, 2, 4].map { events[$0] }))
    #expect(limited == kept)
  }

  @Test func `sounds are left out before what is felt`() {
    let events = [
      tone(at: 0, for: 1), continuous(at: 0.1, for: 1, intensity: 0.1), transient(at: 0.29),
      tone(at: 0.3, for: 1),
    ]
    let renderer = renderer(HapticPattern(events: events), limit: 2)
    #expect(renderer.droppedEventIndices == [0, 3])
  }

  @Test func `no more than the limit are ever in force, and none is left out without need`() {
    var random = SeededRandom(seed: 0x7f)
    for _ in 0..<40 {
      let pattern = random.pattern(length: 0.4)
      let limit = random.integer(1...5)
      let configuration = RenderConfiguration(voiceLimit: limit)
      let timeline = Timeline(pattern, configuration: configuration)
      let renderer = HapticRenderer(timeline: timeline, configuration: configuration)
      let dropped = Set(renderer.droppedEventIndices)
      let events = timeline.events.filter { $0.envelope.end > 0 }
      let kept = events.filter { !dropped.contains($0.index) }
      func inForce(_ events: [TimelineEvent], at time: Double) -> Int {
        events.filter { $0.start <= time && time < $0.end }.count
      }
      for event in events {
        #expect(inForce(kept, at: event.start) <= limit, "\(random)")
      }
      for index in dropped {
        let lost = timeline.events[index]
        let moments = events.map(\.start).filter { lost.start <= $0 && $0 < lost.end }
        let crowded = moments.contains { inForce(events, at: $0) > limit }
        #expect(crowded, "event \(index), \(random)")
      }
    }
  }

  @Test func `a hundred thousand events at one time are scheduled`() {
    let events = (0..<100_000).map { transient(at: 0, intensity: Double($0 % 1000) / 1000) }
    let renderer = renderer(HapticPattern(events: events), limit: 128)
    #expect(renderer.droppedEvents == 100_000 - 128)
    // The hundred strongest there are, of the next level the first twenty-eight.
    #expect(!renderer.droppedEventIndices.contains(999))
    #expect(!renderer.droppedEventIndices.contains(27_998))
    #expect(renderer.droppedEventIndices.contains(28_998))
  }

  @Test func `a time that no count of frames reaches is no fault`() {
    let events = [transient(at: 0), transient(at: 1e300), continuous(at: 1e18, for: 1)]
    let drive = Rendered.drive(HapticPattern(events: [events[0]]))
    var renderer = renderer(HapticPattern(events: events), limit: 128)
    var samples = [Float](repeating: .nan, count: drive.count)
    var span = samples.mutableSpan
    renderer.render(haptic: &span)
    #expect(samples == drive)
  }
}
