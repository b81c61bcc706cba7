// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@testable import Reporting

@Suite struct ActuatorReachTests {
  /// A pattern of two seconds at 48 kHz.
  private func warning(outside: Double, held: Double) -> String? {
    ActuatorReach(
      [
        Reading(.gamutOutside, pattern: "A", take: 1, value: outside),
        Reading(.profileLimited, pattern: "A", take: 1, value: held, count: 200_000),
      ], duration: 2, rate: 48_000)?.warning
  }

  @Test func `what is much is said in words`() {
    #expect(warning(outside: 0.099, held: 9_599) == nil)
    #expect(
      warning(outside: 0.986, held: 480)
        == "98.6 % of what it asks for is out of this actuator's reach under its profile: it was "
        + "played weaker")
    #expect(
      warning(outside: 0.05, held: 12_000)
        == "its drive was held at the profile's peak voltage for 250 ms")
    #expect(warning(outside: 0.1, held: 9_600)?.contains("weaker; its drive was held") == true)
  }

  /// The sample with a profile, `Boing` half out of reach.
  private func record(profile: Bool = true) -> RunRecord {
    var record = SampleRecord().make()
    if profile { record.run.calibration = "lra-1, sha256 00" }
    record.readings += [
      Reading(.gamutOutside, pattern: "Boing", take: 1, value: 0.5),
      Reading(.gamutOutside, pattern: "Drums", take: 1, value: 0.01),
      Reading(.profileLimited, pattern: "Drums", take: 1, value: 240),
    ]
    return record
  }

  @Test func `the terminal has a column and a line of it`() {
    let lines = TextReport.table(record: record()).split(separator: "\n").map(String.init)
    let head = lines.first { $0.hasPrefix("pattern") }
    #expect(head?.contains("  beyond  held") == true)
    #expect(lines.contains { $0.hasPrefix("Boing ") && $0.contains("  50.0") })
    #expect(lines.contains { $0.hasPrefix("Drums ") && $0.contains("  1.0   5.0") })
    #expect(lines.contains { $0.hasPrefix("Gravel ") && $0.hasSuffix(" -") })
    #expect(
      lines.filter { $0.hasPrefix("warning: ") } == [
        "warning: out of this actuator's reach under its profile, so played weaker: 50.0 % of Boing"
      ])
    #expect(lines.allSatisfy { $0.count <= 100 })
  }

  @Test func `the page has a column and a line of it`() throws {
    let elements = try Element.all(in: HTMLReport.text(record: record(), figures: []))
    #expect(elements.contains { $0.name == "th" && $0.text == "Out of reach, %" })
    #expect(elements.contains { $0.name == "th" && $0.text == "Held at peak, ms" })
    let warnings = elements.filter { $0.attributes["class"] == "warning" }.map(\.text)
    #expect(warnings.count == 2)
    #expect(warnings.first?.hasSuffix("so played weaker: 50.0 % of Boing.") == true)
    // And in the pattern's own section.
    #expect(warnings.last?.hasPrefix("! warning 50.0 % of what it asks for is out of") == true)
  }

  @Test func `of many patterns the worst are named`() {
    var record = record()
    for (index, name) in SampleRecord.names.enumerated() {
      record.readings += [
        Reading(.gamutOutside, pattern: name, take: 2, value: 0.2 + 0.1 * Double(index)),
        Reading(.profileLimited, pattern: name, take: 2, value: index == 3 ? 48_000 : 0),
      ]
    }
    #expect(
      ActuatorReach.warnings(RunSummary(record).patterns) == [
        "out of this actuator's reach under its profile, so played weaker: 90.0 % of Sparkle, "
          + "80.0 % of Rumble, 70.0 % of Oscillate, 60.0 % of Inflate, 50.0 % of Boing and of 3 more "
          + "patterns",
        "the drive was held at the profile's peak voltage for 1000 ms of Heartbeats",
      ])
  }

  @Test func `without a profile, or without the reading, there is neither`() {
    for record in [record(profile: false), SampleRecord().make()] {
      let text = TextReport.table(record: record)
      #expect(!text.contains("beyond") && !text.contains("warning: "))
      #expect(!HTMLReport.text(record: record, figures: []).contains("Out of reach, %"))
    }
  }
}
