// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Testing

struct BaselineTests {
  private let nights = series([1, 2, 3, 11, 12, 13, 21, 22, 23])
  private let points = [point(day: 3, from: 2, to: 12), point(day: 6, from: 12, to: 22)]

  private func decision(
    _ kind: BaselineDecision.Kind, day: Int, reading: String = "latency.onset"
  ) -> BaselineDecision {
    BaselineDecision(
      kind, scope: SeriesScope(rig: "bench", reading: reading), day: day, who: "ada",
      when: "2025-03-01T08:00:00Z", why: "new amplifier")
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
      Baseline(of: nights, points: points, decisions: [decision(.accepted, day: 4)]))
    #expect(baseline.level == 12)
    #expect(baseline.days == 3...5)
    #expect(baseline.accepts(points[0]))
    #expect(!baseline.accepts(points[1]))
  }

  @Test func `of the decisions about a series the one given last counts`() throws {
    let decisions = [
      decision(.accepted, day: 4), decision(.accepted, day: 8),
      decision(.accepted, day: 1, reading: "xruns"),
    ]
    let baseline = try #require(Baseline(of: nights, points: points, decisions: decisions))
    #expect(baseline.level == 22)
    #expect(baseline.decision == decisions[1])
    let narrower = try #require(
      Baseline(of: nights, points: points, decisions: decisions.reversed()))
    #expect(narrower.level == 12)
  }

  @Test func `a pinned run is the level, with the spread of the nights about it`() throws {
    let pin = decision(.pinned(run: "golden"), day: 4)
    let golden = Repeat(run: "golden", value: 12.5, uncertainty: 0.1)
    let pinned = try #require(
      Baseline(of: nights, points: points, decisions: [pin], pinned: [golden]))
    #expect(pinned.level == 12.5)
    #expect(pinned.spread == Baseline(of: series([11, 12, 13]), points: [])?.spread)
    #expect(pinned.days == nil)
    #expect(pinned.accepts(points[0]))
    #expect(!pinned.accepts(points[1]))
    let accepted = try #require(
      Baseline(
        of: nights, points: points, decisions: [pin, decision(.accepted, day: 8)],
        pinned: [golden]))
    #expect(accepted.level == 22)
  }

  @Test func `a pin stands against what is wider, and gives way to what names as much`() throws {
    let golden = Repeat(run: "golden", value: 12.5, uncertainty: 0.1)
    let pin = decision(.pinned(run: "golden"), day: 4)
    func wide(_ kind: BaselineDecision.Kind) -> BaselineDecision {
      var wide = decision(kind, day: 8)
      wide.scope.reading = nil
      return wide
    }
    func held(_ decisions: BaselineDecision...) -> BaselineDecision? {
      Baseline(
        of: nights, points: points, decisions: decisions,
        pinned: [golden, Repeat(run: "newer", value: 13)])?.decision
    }
    let accepted = wide(.accepted)
    #expect(held(pin, accepted) == pin)
    #expect(held(pin, wide(.pinned(run: "newer"))) == pin)
    #expect(held(accepted, pin) == pin)
    let named = decision(.accepted, day: 6)
    #expect(held(pin, accepted, named) == named)
    #expect(held(pin, named, accepted) == accepted)
    var narrower = named
    narrower.scope = SeriesScope(nights.key)
    #expect(held(pin, narrower) == narrower)
    // A pin of the whole rig gives way to any decision about it.
    #expect(held(wide(.pinned(run: "golden")), accepted) == accepted)
    // Withdrawn, a pin leaves what was decided after it.
    #expect(held(accepted) == accepted)
    // Of another series it says nothing.
    var other = pin
    other.scope.reading = "xruns"
    #expect(held(other, accepted) == accepted)
    #expect(held(other) == nil)
  }

  @Test func `a pinned run that did not measure the series says nothing of it`() throws {
    let decisions = [decision(.accepted, day: 4), decision(.pinned(run: "other"), day: 8)]
    let baseline = try #require(Baseline(of: nights, points: points, decisions: decisions))
    #expect(baseline.level == 12)
    #expect(baseline.decision == decisions[0])
  }

  @Test func `a scope that leaves something open holds for all of it`() {
    let key = SeriesKey(rig: "bench", actuator: "lra-1", pattern: "tap", reading: "drift")
    #expect(SeriesScope(rig: "bench").contains(key))
    #expect(SeriesScope(key).contains(key))
    #expect(SeriesScope(rig: "bench", pattern: "tap", reading: "drift").contains(key))
    #expect(!SeriesScope(rig: "other").contains(key))
    #expect(!SeriesScope(rig: "bench", actuator: "lra-2").contains(key))
    #expect(!SeriesScope(rig: "bench", pattern: "").contains(key))
    #expect(!SeriesScope(rig: "bench", reading: "xruns").contains(key))
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
    #expect(course("harmony", 90, 80) == .worse)
    #expect(course("harmony.sync", 80, 90) == .better)
    #expect(course("intensity.jnd", -2, -1) == .better)
    #expect(course("latency.total", 1, 2) == .worse)
    #expect(course("control.latency.onset", 2, 1) == .worse)
    #expect(course("response.peak", 2, 3) == .worse)
    #expect(course("response.peak", 2, 2) == .same)
  }
}
