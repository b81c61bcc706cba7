// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@testable import Reporting

@Suite struct HeadlineTests {
  private func readings(_ values: [(Double, Double?)]) -> [Reading] {
    values.map { Reading(.intensityError, pattern: "A", value: $0.0, uncertainty: $0.1) }
  }

  @Test func `the mean of readings that agree is surer than each`() throws {
    let headline = try #require(
      Headline(readings([(2, 0.1), (2, 0.1), (2, 0.1), (2, 0.1)]), .mean))
    #expect(headline.value == 2)
    #expect(abs(try #require(headline.uncertainty) - 0.05) < 1e-12)
    #expect(headline.count == 4)
  }

  @Test func `the mean of readings that disagree is as unsure as their spread`() throws {
    // Standard deviation of 1 and 3 is sqrt(2), over sqrt(2) readings.
    let headline = try #require(Headline(readings([(1, 0.01), (3, 0.01)]), .mean))
    #expect(headline.value == 2)
    #expect(abs(try #require(headline.uncertainty) - 1) < 1e-12)
  }

  @Test func `one reading keeps its own uncertainty`() throws {
    let headline = try #require(Headline(readings([(-1.5, 0.2)]), .mean))
    #expect(headline.value == -1.5)
    #expect(headline.uncertainty == 0.2)
    #expect(try #require(Headline(readings([(1, nil)]), .mean)).uncertainty == nil)
  }

  @Test func `errors of both signs do not cancel in the root mean square`() throws {
    let headline = try #require(Headline(readings([(3, 0.1), (-4, 0.1)]), .rms))
    #expect(abs(try #require(headline.value) - (12.5).squareRoot()) < 1e-12)
    // sqrt((0.3)^2 + (0.4)^2) / (2 * sqrt(12.5))
    #expect(abs(try #require(headline.uncertainty) - 0.5 / (2 * (12.5).squareRoot())) < 1e-12)
  }

  @Test func `the extreme is the farthest from zero with its sign`() throws {
    let headline = try #require(Headline(readings([(3, 0.1), (-4, 0.2), (1, 0.3)]), .extreme))
    #expect(headline.value == -4)
    #expect(headline.uncertainty == 0.2)
  }

  @Test func `what was not measured is not a zero`() throws {
    let missing = Reading(notMeasured: .intensityError, pattern: "A", because: "weak")
    let headline = try #require(Headline([missing], .rms))
    #expect(headline.value == nil)
    #expect(headline.count == 0)
    #expect(headline.verdict == .notMeasured)
    #expect(Headline([], .rms) == nil)
    #expect(try #require(Headline(readings([(2, nil)]) + [missing], .mean)).value == 2)
  }

  @Test func `what readings are drawn together without is told once`() throws {
    let notes = ["without decay.error, not measured", nil, "without decay.error, not measured"]
    let some = notes.map { Reading(.harmony, pattern: "A", value: 80, note: $0) }
    #expect(try #require(Headline(some, .mean)).note == "without decay.error, not measured")
    #expect(try #require(Headline([some[1]], .mean)).note == nil)
  }

  @Test func `a pattern without a harmony of its own has none, whatever its takes have`() throws {
    var record = SampleRecord().make()
    let name = record.patterns[1].name
    record.readings += [
      Reading(.harmony, pattern: record.patterns[0].name, value: 91.2, uncertainty: 0.8),
      Reading(.harmony, pattern: name, take: 1, value: 80, uncertainty: 1),
      Reading(notMeasured: .harmony, pattern: name, take: 2, because: "event 3 is silent"),
      Reading(notMeasured: .harmony, pattern: name, because: "1 of 2 takes have none"),
    ]
    let rows = RunSummary(record).patterns
    #expect(try #require(rows[0].harmony).uncertainty == 0.8)
    #expect(try #require(rows[1].harmony).value == nil)
    #expect(rows[2].harmony == nil)
  }

  @Test func `a harmony without some of its parts is marked, and says without which`() throws {
    var record = SampleRecord().make()
    record.readings.append(
      Reading(.harmony, pattern: record.patterns[0].name, value: 91.2, uncertainty: 0.8))
    for pattern in record.patterns[1...2] {
      record.readings.append(
        Reading(
          .harmony, pattern: pattern.name, value: 80, uncertainty: 1,
          note: "without decay.error, not measured"))
    }
    let text = TextReport.table(record: record)
    #expect(text.contains("80.0(10)*\n") || text.contains("80.0(10)* "))
    #expect(text.contains("91.20(80) ") || text.contains("91.20(80)\n"))
    let names = record.patterns[1...2].map(\.name).joined(separator: ", ")
    #expect(text.contains("\n* harmony index without late ending, not measured: \(names)\n"))
    let page = HTMLReport.text(record: record, figures: [], charts: nil)
    #expect(page.contains("* Harmony index of \(names): without late ending, not measured."))
    #expect(page.contains("80.0 ± 1.0 *"))
  }

  @Test func `a control has no part in a pattern's summary`() throws {
    var record = SampleRecord().make()
    let before = try #require(RunSummary(record).patterns.first?.intensityError?.value)
    var control = Reading(.intensityError, pattern: "Boing", value: 100)
    control.name = ReadingName(.intensityError, isControl: true)
    record.readings.append(control)
    #expect(RunSummary(record).patterns.first?.intensityError?.value == before)
  }

  @Test func `a latency of the run stands for patterns that have none of their own`() throws {
    var record = SampleRecord().make()
    record.readings = [
      Reading(.latencyTransport, value: 0.005),
      Reading(.latencyTransport, pattern: "Drums", value: 0.006),
    ]
    let rows = RunSummary(record).patterns
    #expect(rows[0].latency?.value == 0.005)
    #expect(rows[1].latency?.value == 0.006)
  }

  @Test func `what scatters from take to take is no surer than that`() throws {
    let values = [8.309_333e-3, 8.281_115e-3, 8.330_202e-3]
    let readings = values.enumerated().map { take, value in
      Reading(
        .latencyElectrical, pattern: "p\(take)", take: take + 1, value: value, uncertainty: 6.4e-8)
    }
    let scatter = ReadingScatter(readings)
    let one = try #require(Headline([readings[0]], .mean, scatter: scatter))
    #expect(one.text == "8.309 ± 0.025 ms")
    #expect(try #require(Headline([readings[0]], .mean)).text == "8.3093 ± 0.0001 ms")
    #expect(Shown.value(of: readings[0], scatter) == "8.309 ± 0.025 ms")
    let all = try #require(Headline(readings, .mean, scatter: scatter))
    #expect(all.text == "8.307 ± 0.014 ms")
  }

  @Test func `patterns and events are not each other's scatter`() {
    func level(_ value: Double, _ pattern: String, _ take: Int, _ event: Int) -> Reading {
      Reading(
        .intensityError, pattern: pattern, take: take, event: event, value: value, uncertainty: 0.1)
    }
    let readings = [
      level(1, "A", 1, 0), level(9, "A", 1, 1), level(-7, "B", 1, 0), level(1.04, "A", 2, 0),
    ]
    let scatter = ReadingScatter(readings)
    for reading in readings { #expect(scatter.uncertainty(of: reading) == 0.1) }
    #expect(scatter.deviation(of: readings[1]) == nil)
    let count = Reading(.xruns, pattern: "A", take: 1, value: 0)
    let other = Reading(.xruns, pattern: "A", take: 2, value: 5)
    #expect(ReadingScatter([count, other]).uncertainty(of: count) == nil)
  }
}
