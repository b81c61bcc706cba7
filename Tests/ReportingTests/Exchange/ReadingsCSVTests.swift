// SPDX-License-Identifier: Apache-2.0

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

  @Test func `no cell is a formula, and numbers stay numbers`() {
    var record = SampleRecord().make()
    let formula = "=cmd|' /C calc'!A0"
    let names = [formula, "+1+2", "-2+3", "@sum(a)", "\t=1"]
    record.readings = names.map { Reading(notMeasured: .latencyRise, pattern: $0, because: "why") }
    record.readings.append(Reading(.syncAudioHaptic, pattern: "a", value: -1.5))
    let lines = ReadingsCSV.text(record: record).split(separator: "\r\n").dropFirst()
    let patterns = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false)[5] }
    #expect(patterns.dropLast() == ["'\(formula)", "'+1+2", "'-2+3", "'@sum(a)", "'\t=1"])
    #expect(lines.last?.contains(",-1.5,") == true)
  }
}
