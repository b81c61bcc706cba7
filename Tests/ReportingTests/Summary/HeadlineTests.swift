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

  @Test func `a control has no part in a pattern's summary`() throws {
    var record = SampleRecord().make()
    let before = try #require(PatternSummary.rows(of: record).first?.intensityError?.value)
    var control = Reading(.intensityError, pattern: "Boing", value: 100)
    control.name = ReadingName(.intensityError, isControl: true)
    record.readings.append(control)
    #expect(PatternSummary.rows(of: record).first?.intensityError?.value == before)
  }

  @Test func `a latency of the run stands for patterns that have none of their own`() throws {
    var record = SampleRecord().make()
    record.readings = [
      Reading(.latencyElectrical, value: 0.005),
      Reading(.latencyElectrical, pattern: "Drums", value: 0.006),
    ]
    let rows = PatternSummary.rows(of: record)
    #expect(rows[0].electricalLatency?.value == 0.005)
    #expect(rows[1].electricalLatency?.value == 0.006)
  }
}
