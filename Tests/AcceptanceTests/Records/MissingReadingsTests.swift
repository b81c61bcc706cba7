// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Acceptance

@Suite struct MissingReadingsTests {
  @Test func `a required reading that one pattern lacks is named with its pattern`() {
    var record = RunRecordJSONTests.smallest
    record.plan.limits = [Limit(ReadingName(.latencyOnset), .below(0.01, marginal: nil))]
    record.readings = [Reading(notMeasured: .latencyOnset, pattern: "Boing", because: "too weak")]
    #expect(
      record.missingReadings == [
        .init(name: ReadingName(.latencyOnset), pattern: "Boing", limit: "at most 10 ms")
      ])
    record.readings.append(Reading(.latencyOnset, pattern: "Boing", value: 0.005))
    #expect(record.missingReadings.isEmpty)
  }

  @Test func `a reading of the whole run satisfies a limit for all patterns`() {
    var record = RunRecordJSONTests.smallest
    record.plan.limits = [Limit(ReadingName(.xruns), .below(0, marginal: nil))]
    #expect(record.missingReadings.map(\.pattern) == ["Boing"])
    record.readings = [Reading(.xruns, value: 0)]
    #expect(record.missingReadings.isEmpty)
  }

  @Test func `a limit for one pattern asks nothing of the others`() {
    var record = RunRecordJSONTests.smallest
    var other = record.patterns[0]
    other.name = "Drums"
    record.patterns.append(other)
    record.plan.limits = [
      Limit(ReadingName(.latencyOnset), .below(0.01, marginal: nil), patterns: ["Boing"])
    ]
    record.readings = [Reading(.latencyOnset, pattern: "Boing", value: 0.005)]
    #expect(record.missingReadings.isEmpty)
    record.readings[0].pattern = "Drums"
    #expect(record.missingReadings.map(\.pattern) == ["Boing"])
  }

  @Test func `a required reading without a limit is missing whatever its value would be`() {
    var record = RunRecordJSONTests.smallest
    record.plan.limits = []
    record.plan.requirements = [
      Requirement(ReadingName(.latencyOnset)),
      Requirement(ReadingName(.drift), patterns: ["Drums"]),
    ]
    record.readings = []
    #expect(record.missingReadings.map(\.name.kind) == [.latencyOnset, .drift])
    // What nothing that was played owes, the run does.
    #expect(record.missingReadings.map(\.pattern) == ["Boing", nil])
    #expect(record.missingReadings.map(\.limit) == ["whatever its value", "whatever its value"])
    record.readings = [
      Reading(.latencyOnset, pattern: "Boing", value: 1), Reading(.drift, value: 1),
    ]
    #expect(record.missingReadings.isEmpty)
  }

  @Test func `what is missing here is what makes a judgement not measured`() {
    for seed in UInt64(1)...400 {
      var random = RandomRecord(seed: seed)
      var record = random.record()
      // Two quantities only, so that limits and readings meet; and limits that nothing can fail, so
      // that absence alone decides.
      let names = [ReadingName(.latencyOnset), ReadingName(.drift)]
      for index in record.readings.indices { record.readings[index].name = names[index % 2] }
      record.plan.limits = record.plan.limits.enumerated().map { index, limit in
        Limit(
          names[index % 2], .within(.infinity, marginal: nil), required: limit.required,
          patterns: limit.patterns)
      }
      let verdict = Judgement.apply(
        record.plan, to: &record.readings, patterns: record.patterns.map(\.name),
        hasProfile: record.hasProfile)
      #expect((verdict == .notMeasured) == !record.missingReadings.isEmpty, "seed \(seed)")
    }
  }
}
