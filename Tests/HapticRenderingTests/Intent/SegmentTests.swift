// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import HapticRendering
import Perception
import SeededRandom
import Testing

/// The intent as formulas over stretches of time: the same as at single instants, and whole.
struct SegmentTests {
  private func intent(
    _ pattern: HapticPattern, _ configuration: RenderConfiguration = .init()
  ) -> Intent {
    Intent(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
  }

  @Test(arguments: 0..<40)
  func `segments say at every time what the intent says`(index: Int) throws {
    var random = SeededRandom(seed: 0x5e6 + UInt64(index))
    let pattern = random.pattern(length: 1, hapticOnly: true)
    let intent = intent(
      pattern,
      RenderConfiguration(
        mixingLaw: .standard.ducking(random.chance(0.3) ? 1 : random.uniform()),
        sharpnessControlMovesTransients: random.chance(0.5)))
    for event in intent.timeline.events {
      let segments = intent.segments(of: event)
      #expect(segments.first?.start == event.start && segments.last?.end == event.end)
      #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end == $1.start })
      #expect(segments.allSatisfy { $0.start < $0.end })
      for _ in 0..<200 {
        let time = random.uniform(event.start...event.end)
        let segment = try #require(segments.first { $0.start <= time && time < $0.end })
        let age = time - segment.start
        let detail = "\(event.kind) at \(time) s, \(random)"
        let level = segment.intensity.value(at: age)
        #expect(abs(level - intent.intensity(of: event, at: time)) < 1e-12, "\(detail)")
        let sharpness = segment.sharpness.value(at: age)
        #expect(abs(sharpness - intent.sharpness(of: event, at: time)) < 1e-12, "\(detail)")
        let weight = segment.weight.value(at: time)
        #expect(abs(weight - intent.weight(of: event, at: time)) < 1e-12, "\(detail)")
        #expect((-1e-12...1 + 1e-12).contains(level) && (-1e-12...1 + 1e-12).contains(sharpness))
      }
    }
  }

  @Test func `a line of the control times a line of the envelope is a square`() throws {
    // 31.6 ms up, under a control that falls from 1 to 0 in a second.
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 0.5, intensity: 0.8, [.attackTime: 0.5])],
      curves: [curve(.hapticIntensity, at: 0, [(0, 1), (1, 0)])])
    let intent = intent(pattern)
    let segments = intent.segments(of: intent.timeline.events[0])
    #expect(segments.count == 3)
    let attack = EnvelopeLaw.standard.seconds(0.5)
    let rise = try #require(segments.first)
    #expect(abs(rise.end - attack) < 1e-15)
    #expect(rise.intensity.constant == 0)
    #expect(abs(rise.intensity.linear - 0.8 / attack) < 1e-12)
    #expect(abs(rise.intensity.square + 0.8 / attack) < 1e-12)
    #expect(segments[1].intensity.square == 0)
    #expect(abs(segments[1].intensity.linear + 0.8) < 1e-12)
  }

  @Test func `sharpness is cut where it meets 0 and 1`() {
    let pattern = HapticPattern(
      events: [continuous(at: 0, for: 1, sharpness: 0.5, [.releaseTime: 0])],
      curves: [curve(.hapticSharpness, at: 0, [(0, -1), (1, 1)])])
    let intent = intent(pattern)
    let segments = intent.segments(of: intent.timeline.events[0])
    // Held at 0 until 0.25 s, rising until 0.75 s, held at 1.
    let cuts = segments.map(\.start)
    #expect(cuts.contains { abs($0 - 0.25) < 1e-12 } && cuts.contains { abs($0 - 0.75) < 1e-12 })
    for segment in segments {
      let middle = (segment.start + segment.end) / 2
      let slope = middle > 0.25 && middle < 0.75 ? 2.0 : 0
      #expect(abs(segment.sharpness.linear - slope) < 1e-12, "at \(middle) s")
    }
  }

  @Test func `a tap is one segment with its shape as weight`() throws {
    let intent = intent(HapticPattern(events: [transient(at: 0.1, intensity: 0.7)]))
    let segments = intent.segments(of: intent.timeline.events[0])
    let tap = try #require(segments.first)
    #expect(segments.count == 1)
    #expect(tap.intensity.constant == 0.7 && tap.intensity.linear == 0)
    #expect(tap.weight.base == 0 && tap.weight.swing == 1 && tap.weight.origin == 0.1)
    #expect(tap.weight.length == 0.022)
  }

  @Test func `a tap that ducks cuts the vibration where it begins and ends`() {
    let intent = intent(
      HapticPattern(events: [continuous(at: 0, for: 1), transient(at: 0.5)]),
      RenderConfiguration(mixingLaw: .ducked))
    let segments = intent.segments(of: intent.timeline.events[0])
    let ducked = segments.filter { $0.weight.swing != 0 }
    #expect(ducked.count == 1)
    #expect(ducked.first?.start == 0.5 && ducked.first?.end == 0.522)
    #expect(abs((ducked.first?.weight.value(at: 0.5) ?? 0) - 0.8) < 1e-12)
  }

  // The area under 0.6 of a vibration with 1 ms ramps is 0.6 (duration + 0.5 ms - 0.5 ms): exact.
  @Test func `segments integrate without sampling`() {
    let intent = intent(HapticPattern(events: [continuous(at: 0.2, for: 0.7, intensity: 0.6)]))
    let area = intent.segments(of: intent.timeline.events[0]).reduce(0) { sum, segment in
      let (p, t) = (segment.intensity, segment.end - segment.start)
      return sum + t * (p.constant + t * (p.linear / 2 + t * p.square / 3))
    }
    #expect(abs(area - 0.6 * 0.7) < 1e-12, "\(area)")
  }

  @Test func `sounds have no segments`() {
    let intent = intent(HapticPattern(events: [tone(at: 0, for: 1), sound(at: 0, for: 1)]))
    #expect(intent.timeline.events.allSatisfy { intent.segments(of: $0).isEmpty })
  }

  @Test func `a whole pattern's curve costs one event its own part`() {
    let points = (0..<5000).map { (Double($0) * 0.01, Double($0 % 10) / 10) }
    let intent = intent(
      HapticPattern(
        events: [continuous(at: 10, for: 0.1)], curves: [curve(.hapticIntensity, at: 0, points)]))
    #expect(intent.segments(of: intent.timeline.events[0]).count < 20)
  }
}
