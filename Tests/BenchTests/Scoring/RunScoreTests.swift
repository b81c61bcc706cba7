// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing
import Units

@testable import Bench

struct RunScoreTests {
  private func xruns(_ count: Double, hours: Double, takes: Int = 4) -> [Reading] {
    (1...takes).map {
      Reading(
        .xruns, pattern: "p", take: $0, value: $0 == 1 ? count : 0,
        count: Int(hours * 3600 * 48_000 / Double(takes)))
    }
  }

  private func whole(_ readings: [Reading], _ kind: ReadingKind) -> [Reading] {
    RunScore.whole([], readings, rate: .standard).filter {
      $0.name == ReadingName(kind) && $0.take == nil
    }
  }

  @Test func `no xrun in eight hours is fewer than 0.374 an hour, at 95 percent`() throws {
    let reading = try #require(whole(xruns(0, hours: 8), .xrunsPerHour).first)
    // -ln 0.05 = 2.9957.
    #expect(abs(try #require(reading.value) - 2.9957 / 8) < 1e-4)
    #expect(reading.note == "at most, at 95 %: 0 in 28800 s")
    let some = try #require(whole(xruns(2, hours: 1), .xrunsPerHour).first)
    // Garwood's upper limit for 2 is 6.296.
    #expect(abs(try #require(some.value) - 6.2958) < 1e-3)
  }

  @Test func `takes without a stream's account bound nothing`() {
    #expect(whole([], .xrunsPerHour).isEmpty)
  }

  @Test func `a pattern's harmony is the mean of its takes`() throws {
    let takes = [80.0, 90, 85].enumerated().map {
      Reading(
        .harmony, pattern: "p", take: $0 + 1, value: $1, uncertainty: 0.5, note: "without decay")
    }
    let found = whole(takes, .harmony)
    #expect(found.count == 1)
    let reading = try #require(found.first)
    #expect(reading.pattern == "p" && reading.count == 3 && reading.note == "without decay")
    #expect(abs(try #require(reading.value) - 85) < 1e-9)
    // The takes differ more than each is unsure: 5 / sqrt 3.
    #expect(abs(try #require(reading.uncertainty) - 5 / 3.0.squareRoot()) < 1e-9)
    #expect(reading.differencesUncertainty == nil)
  }

  @Test func `what published differences leave open does not average out over takes`() throws {
    let takes = (1...16).map {
      Reading(
        .harmony, pattern: "p", take: $0, value: 80, uncertainty: 0.5, differencesUncertainty: 4)
    }
    let reading = try #require(whole(takes, .harmony).first)
    #expect(reading.differencesUncertainty == 4)
    #expect(reading.uncertainty == 0.5)
  }

  @Test func `takes that were measured without other parts say so all`() throws {
    let notes = ["without decay", nil, "without sync", "without decay"]
    let takes = notes.enumerated().map {
      Reading(.harmony, pattern: "p", take: $0 + 1, value: 80, uncertainty: 1, note: $1)
    }
    #expect(whole(takes, .harmony).first?.note == "without decay; without sync")
  }

  @Test func `one take without harmony takes it from the pattern, with the reason`() throws {
    let takes = [
      Reading(.harmony, pattern: "p", take: 1, value: 80, uncertainty: 1),
      Reading(notMeasured: .harmony, pattern: "p", take: 2, because: "it is silent"),
    ]
    let reading = try #require(whole(takes, .harmony).first)
    #expect(reading.value == nil && reading.verdict == .notMeasured)
    #expect(reading.note == "1 of 2 takes have none: it is silent")
  }
}
