// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import SeededRandom
import Testing
import Units

@testable import ChangeDetection
@testable import Reporting

/// What a history says of series that go with the temperature.
struct HistoryTemperatureTests {
  private func report(slope: Double, unit: MeasurementUnit, level: Double) throws -> HistoryReport {
    var random = SeededRandom(seed: 7)
    let celsius = Dictionary(
      uniqueKeysWithValues: (0..<60).map { ($0, 22 + 3 * random.gaussian()) })
    let nightly = NightlySeries(
      key: SeriesKey(rig: "r", actuator: "a", pattern: "tap", reading: "some.reading"), unit: unit,
      nights: (0..<60).map { day in
        let value = level + slope * ((celsius[day] ?? 0) - 22) + 1e-4 * level * random.gaussian()
        return Night(day: day, value: value, run: "\(day)")
      })
    let effect = try #require(TemperatureEffect(of: nightly, temperatures: celsius))
    return HistoryReport(
      rig: "r", plan: "p", days: 0...59,
      series: [HistoryReport.Series(nightly: nightly, temperature: effect)], runs: [])
  }

  @Test(arguments: [
    (-0.175, MeasurementUnit.hertz, 175.0, -0.1), (0.02, .metrePerSecondSquared, 20.0, 0.1),
  ]) func `levels and frequencies are told as shares`(
    slope: Double, unit: MeasurementUnit, level: Double, percent: Double
  ) throws {
    let text = HistoryText.table(try report(slope: slope, unit: unit, level: level))
    let line = try #require(text.split(separator: "\n").first { $0.contains("%/K") })
    let number = line.split(separator: " ").dropFirst(3).first.flatMap { Double($0) }
    #expect(abs(try #require(number) - percent) < 0.003, "\(line)")
    #expect(line.hasPrefix("  some.reading of tap: \(percent < 0 ? "-" : "+")0."), "\(line)")
    #expect(line.contains(" ± ") && line.contains("(60 nights, "), "\(line)")
    #expect(text.contains("nothing is corrected by it:"))
  }

  @Test func `decibels are told as they are, on the page and in JSON as well`() throws {
    let report = try report(slope: 0.05, unit: .decibel, level: -3)
    #expect(HistoryText.table(report).contains(" dB/K ("))
    let page = HistoryPage(report).text
    #expect(page.contains("With the temperature") && page.contains("dB/K"))
    let effect = try #require(report.json["series"]?.elements?.first?["temperature"])
    #expect(abs(try #require(effect["perKelvin"]?.number) - 0.05) < 1e-3)
    #expect(effect["nights"]?.integer == 60 && effect["sure"]?.bool == true)
  }

  @Test func `a slope that is not sure is in JSON alone`() throws {
    let report = try report(slope: 0, unit: .hertz, level: 175)
    #expect(!HistoryText.table(report).contains("/K"))
    #expect(!HistoryPage(report).text.contains("With the temperature"))
    #expect(report.json["series"]?.elements?.first?["temperature"]?["sure"]?.bool == false)
  }
}
