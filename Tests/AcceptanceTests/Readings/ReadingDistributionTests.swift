// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

struct ReadingDistributionTests {
  private func record(_ readings: [Reading]) -> RunRecord {
    var record = RunRecordJSONTests.smallest
    record.readings = readings
    return record
  }

  @Test func `delays scatter over all takes, onsets over those of one event`() throws {
    let delays = [5.0, 7, 6].enumerated().map {
      Reading(.latencyElectrical, pattern: "\($0)", take: 1, value: $1)
    }
    // Two events a second apart from each other, each with its own scatter; one seen once.
    let onsets = [(1, 0, 1.0), (2, 0, 1.2), (1, 1, 2.0), (2, 1, 2.4), (1, 2, 9)].map {
      Reading(.latencyOnset, pattern: "p", take: $0.0, event: $0.1, value: $0.2)
    }
    let run = record(delays + onsets)
    let delay = try #require(run.distribution(of: ReadingName(.latencyElectrical)))
    #expect(delay.deviations == [-1, 0, 1])
    #expect(delay.deviation == 1 && delay.medianDeviation == 1)
    let onset = try #require(run.distribution(of: ReadingName(.latencyOnset)))
    #expect(onset.deviations.count == 4)
    // (0.1^2 + 0.1^2 + 0.2^2 + 0.2^2) / (4 - 2).
    #expect(abs(onset.deviation - 0.05.squareRoot()) < 1e-12)
    #expect(run.distribution(of: ReadingName(.drift)) == nil)
  }

  @Test func `a histogram holds every deviation, zero in the middle`() throws {
    let readings = [-3.0, -1, 0, 0, 0, 1, 3].map {
      Reading(.latencyElectrical, pattern: "p", take: 1, value: $0)
    }
    let found = try #require(record(readings).distribution(of: ReadingName(.latencyElectrical)))
    let (width, counts) = found.histogram(bins: 7)
    #expect(abs(width - 3 / 3.5) < 1e-12)
    #expect(counts == [1, 0, 1, 3, 1, 0, 1])
    let still = try #require(
      record(
        [1.0, 1].map { Reading(.latencyElectrical, pattern: "p", take: 1, value: $0) }
      ).distribution(of: ReadingName(.latencyElectrical)))
    #expect(still.histogram(bins: 5) == (0, [0, 0, 2, 0, 0]))
  }
}
