// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Testing
import Units

@Suite struct ReadingTests {
  @Test(arguments: ReadingKind.allCases)
  func `a kind has a unit and a definition`(kind: ReadingKind) {
    #expect(!kind.definition.isEmpty)
    #expect(!kind.definition.contains("|"), "a bar would break the table")
    #expect(!kind.unit.rawValue.isEmpty)
    #expect(kind.unit.base == kind.unit || kind.unit == .partsPerMillion, "readings are kept in SI")
  }

  @Test(arguments: ReadingKind.allCases)
  func `a name reads back from its text`(kind: ReadingKind) {
    for isControl in [false, true] {
      let name = ReadingName(kind, isControl: isControl)
      #expect(ReadingName(name.description) == name)
    }
  }

  @Test(arguments: ["", "latency", "control.", "control.control.drift", "Drift", "drift "])
  func `a text that is no reading has no name`(text: String) {
    #expect(ReadingName(text) == nil)
  }

  @Test func `a control is told by its prefix`() {
    #expect(ReadingName("control.drift") == ReadingName(.drift, isControl: true))
    #expect(ReadingName("drift") == ReadingName(.drift))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `an estimate that is not finite is not measured`(value: Double) {
    let reading = Reading(.drift, value: value, uncertainty: 1)
    #expect(reading.value == nil)
    #expect(reading.verdict == .notMeasured)
    #expect(reading.note == "the estimate is not a finite number")
  }

  @Test func `an uncertainty that is not finite is unknown`() {
    #expect(Reading(.drift, value: 1, uncertainty: .nan).uncertainty == nil)
  }

  /// A spread, a bound and an update interval lie between no two instants.
  private static let spreads: Set<ReadingKind> = [
    .latencyJitter, .latencyJitterStream, .latencyJitterRestarts, .quantisationDelay,
  ]

  @Test(arguments: ReadingKind.allCases)
  func `a time says from which instant to which, by which clock`(kind: ReadingKind) {
    let isTime = kind.unit == .second && !Self.spreads.contains(kind)
    #expect((kind.interval != nil) == isTime)
    guard let interval = kind.interval else { return }
    for text in [interval.from, interval.to, interval.clock, interval.without ?? "-"] {
      #expect(!text.isEmpty && !text.contains("|"))
    }
    #expect(kind.explanation.contains("from \(interval.from) to \(interval.to), by "))
  }

  @Test(arguments: ReadingKind.allCases)
  func `what can lie on either side of zero says which is which`(kind: ReadingKind) {
    let isError =
      kind.rawValue.hasSuffix(".error") || kind.rawValue.hasPrefix("sync.") || kind == .drift
    if isError { #expect(kind.positive != nil) }
    #expect(kind.positive?.isEmpty != true && kind.positive?.contains("|") != true)
  }

  @Test func `indices are those that rest on published differences`() {
    let names = ReadingKind.allCases.filter(\.isIndex).map(\.rawValue)
    #expect(
      names == [
        "intensity.jnd", "consistency.j", "harmony", "harmony.sync", "harmony.intensity",
        "harmony.sharpness", "harmony.decay",
      ])
    for kind in ReadingKind.allCases where kind.isIndex {
      #expect(kind.definition.contains("index"), "\(kind.rawValue)")
    }
  }

  @Test func `the part of published differences reads back, and is no part of the uncertainty`() {
    let reading = Reading(
      .harmony, pattern: "p", value: 71, uncertainty: 2, differencesUncertainty: 6)
    #expect(reading.json["uncertainty"] == .number(2))
    #expect(reading.json["differencesUncertainty"] == .number(6))
    #expect(Reading(.harmony, value: 71).json["differencesUncertainty"] == nil)
    #expect(
      Reading(.harmony, value: 1, differencesUncertainty: .nan).differencesUncertainty == nil)
  }

  @Test func `the table for the documents has a row a kind`() {
    let rows = ReadingKind.markdownTable.split(separator: "\n")
    #expect(rows.count == ReadingKind.allCases.count + 2)
    #expect(rows[0] == "| name | unit | definition | above zero |")
  }

  @Test func `each kind has plain words of its own`() {
    let titles = ReadingKind.allCases.map(\.title)
    #expect(Set(titles).count == titles.count)
    for title in titles {
      #expect(!title.contains(".") && !title.isEmpty && title.count <= 32, "\(title)")
    }
    #expect(ReadingName(.drift, isControl: true).title == "control: clock drift")
  }
}
