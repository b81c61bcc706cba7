// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing
import Units

@testable import ChangeDetection

/// Which trends are told as drifts, and which of them together.
struct DriftTests {
  /// Sixty nights of a level that goes a share of itself up or down until the newest, with some scatter.
  private func series(
    _ reading: String, pattern: String = "tap", actuator: String = "lra-1", going share: Double,
    scatter: Double = 0.005, _ random: inout SeededRandom
  ) throws -> (series: NightlySeries, trend: Trend) {
    let nights = (0..<60).map { night in
      Night(
        day: 20_500 + night,
        value: 2 * (1 + share * Double(night) / 59 + scatter * random.gaussian()),
        uncertainty: 0.002)
    }
    let key = SeriesKey(rig: "bench", actuator: actuator, pattern: pattern, reading: reading)
    let series = NightlySeries(key: key, unit: .metrePerSecondSquared, nights: nights)
    return (series, try #require(Trend(of: series)))
  }

  @Test func `what follows from the simplest reading drifts with it, and the rest by itself`()
    throws
  {
    var random = SeededRandom(seed: 5)
    let drifts = Drift.among([
      try series("intensity.error", going: -0.04, &random),
      try series("response.peak", going: -0.04, &random),
      try series("response.peak", pattern: "swell", going: -0.04, &random),
      try series("response.peak", actuator: "lra-2", going: 0, &random),
      try series("noise.floor", actuator: "lra-2", going: 0.06, &random),
    ])
    #expect(drifts.count == 2)
    let peak = try #require(drifts.first { $0.lead.key.reading == "response.peak" })
    #expect(peak.lead.key.actuator == "lra-1")
    #expect(Set(peak.others.map(\.key.reading)) == ["response.peak", "intensity.error"])
    #expect(peak.lead.from == 20_500 && peak.lead.to == 20_559)
    #expect(abs(peak.lead.level - 1.96) < 0.02)
    #expect(abs(peak.lead.distance + 0.08) < 0.02, "\(peak.lead.distance)")
    #expect(peak.lead.course == .worse)
    let noise = try #require(drifts.first { $0.lead.key.reading == "noise.floor" })
    #expect(noise.others.isEmpty && noise.lead.key.isOfRig && noise.lead.distance > 0)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `of two hundred series that only scatter none drifts`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let trends = try (0..<200).map { index in
      try series("response.peak", pattern: "p\(index)", going: 0, &random)
    }
    #expect(Drift.among(trends).isEmpty)
  }

  @Test func `a drift that is sure, but smaller than a step that matters, is not told`() throws {
    var random = SeededRandom(seed: 9)
    let small = try series("response.peak", going: 0.007, scatter: 0.001, &random)
    #expect(small.trend.significance < 1e-4)
    #expect(Drift.among([small]).isEmpty)
    #expect(
      Drift.among([try series("response.peak", going: 0.02, scatter: 0.001, &random)]).count == 1)
  }

  @Test func `the temperature of the room does not drift`() throws {
    var random = SeededRandom(seed: 9)
    #expect(Drift.among([try series("temperature", going: 0.2, &random)]).isEmpty)
  }
}
