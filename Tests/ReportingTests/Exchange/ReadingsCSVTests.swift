import Acceptance
import Reporting
import Testing

struct ReadingsCSVTests {
  @Test(.enabled(if: Python.isAvailable, "there is no python3"))
  func `Python's own reader finds every reading, quoted or not`() throws {
    var record = SampleRecord().make()
    record.readings.append(
      Reading(
        notMeasured: .latencyRise, pattern: "a \"b\", c", because: "two lines,\nand a \"quote\""))
    let script = """
      import csv, sys, io
      rows = list(csv.DictReader(io.StringIO(sys.stdin.read(), newline="")))
      measured = [float(row["value"]) for row in rows if row["value"]]
      print(len(rows), len(measured), repr(rows[-1]["pattern"]), repr(rows[-1]["note"]))
      """
    let answer = try Python.run(script, input: ReadingsCSV.text(record: record))
    let measured = record.readings.count { $0.value != nil }
    #expect(
      answer == "\(record.readings.count) \(measured) 'a \"b\", c' 'two lines,\\nand a \"quote\"'\n"
    )
  }
}
