import ChangeDetection
import Testing

struct BaselineTests {
  private let nights = series([1, 2, 3, 11, 12, 13, 21, 22, 23])
  private let points = [point(day: 3, from: 2, to: 12), point(day: 6, from: 12, to: 22)]

  private func decision(
    _ kind: BaselineDecision.Kind, day: Int, reading: String = "latency.onset"
  ) -> BaselineDecision {
    BaselineDecision(
      key: SeriesKey(rig: "bench", reading: reading), kind: kind, day: day, who: "ada",
      when: "2025-03-01", why: "new amplifier")
  }

  @Test func `without a decision the nights before the first change are the baseline`() throws {
    let baseline = try #require(Baseline(of: nights, points: points))
    #expect(baseline.level == 2)
    #expect(baseline.days == 0...2)
    #expect(baseline.count == 3)
    #expect(!baseline.accepts(points[0]))
  }

  @Test func `an accepted change moves the baseline up to the next one`() throws {
    let baseline = try #require(
      Baseline(of: nights, points: points, decisions: [decision(.accept, day: 4)]))
    #expect(baseline.level == 12)
    #expect(baseline.days == 3...5)
    #expect(baseline.accepts(points[0]))
    #expect(!baseline.accepts(points[1]))
  }

  @Test func `the latest decision of the series counts`() throws {
    let decisions = [
      decision(.accept, day: 8), decision(.accept, day: 4),
      decision(.pin(level: 5, spread: 1), day: 9, reading: "xruns"),
    ]
    let baseline = try #require(Baseline(of: nights, points: points, decisions: decisions))
    #expect(baseline.level == 22)
    #expect(baseline.decision == decisions[0])
  }

  @Test func `a pinned baseline is what was said, until the next decision`() throws {
    let pin = decision(.pin(level: 5, spread: 1), day: 5)
    let pinned = try #require(Baseline(of: nights, points: points, decisions: [pin]))
    #expect(pinned.level == 5)
    #expect(pinned.spread == 1)
    #expect(pinned.days == nil)
    let accepted = try #require(
      Baseline(of: nights, points: points, decisions: [pin, decision(.accept, day: 8)]))
    #expect(accepted.level == 22)
  }

  @Test func `changes that are not confirmed do not end a baseline`() throws {
    let weak = [point(day: 6, from: 12, to: 22, state: .found)]
    let baseline = try #require(Baseline(of: nights, points: weak))
    #expect(baseline.count == 9)
  }

  @Test func `no nights have no baseline`() {
    #expect(Baseline(of: series([]), points: []) == nil)
  }

  @Test func `more latency, less fidelity and a larger error are worse`() {
    func course(_ reading: String, _ before: Double, _ after: Double) -> BetterDirection.Course {
      BetterDirection(reading: reading).course(from: before, to: after)
    }
    #expect(course("latency.onset", 1, 2) == .worse)
    #expect(course("latency.onset", 2, 1) == .better)
    #expect(course("envelope.correlation", 0.9, 0.8) == .worse)
    #expect(course("sync.audioHaptic", -3, -1) == .better)
    #expect(course("sync.audioHaptic", 1, -3) == .worse)
    #expect(course("control.latency.onset", 2, 1) == .worse)
    #expect(course("response.peak", 2, 3) == .worse)
    #expect(course("response.peak", 2, 2) == .same)
  }
}
