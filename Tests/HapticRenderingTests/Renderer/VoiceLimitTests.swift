import AHAP
import HapticRendering
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
}
