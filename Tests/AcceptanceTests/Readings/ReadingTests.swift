import Acceptance
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

  @Test func `the table for the documents has a row a kind`() {
    let rows = ReadingKind.markdownTable.split(separator: "\n")
    #expect(rows.count == ReadingKind.allCases.count + 2)
    #expect(rows[0] == "| name | unit | definition |")
  }
}
