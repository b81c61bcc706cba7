// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Reporting
import Testing

@Suite struct JUnitReportTests {
  private func elements(_ record: RunRecord) throws -> [Element] {
    try Element.all(in: JUnitReport.text(record: record))
  }

  @Test func `a suite a pattern, one for the run and one for its verdicts`() throws {
    let record = SampleRecord().make()
    let elements = try elements(record)
    let suites = elements.filter { $0.name == "testsuite" }.compactMap { $0.attributes["name"] }
    #expect(suites == SampleRecord.names + ["run", "verdicts"])
    let judged = record.readings.count { $0.verdict != nil }
    // A case a judged reading, and three more.
    #expect(elements.count { $0.name == "testcase" } == judged + 3)
  }

  @Test func `the counts at the top are those of the cases`() throws {
    var sample = SampleRecord()
    sample.limits.append(Limit(ReadingName(.latencyRise), .below(0.001, marginal: nil)))
    sample.limits.append(Limit(ReadingName(.decayError), .within(0.001, marginal: nil)))
    let elements = try elements(sample.make())
    let suites = elements.filter { $0.name == "testsuite" }
    for (key, name) in [
      ("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"),
    ] {
      let total = elements.count { $0.name == name }
      #expect(elements[0].attributes[key] == "\(total)", "\(key)")
      let sum = suites.compactMap { $0.attributes[key].flatMap(Int.init) }.reduce(0, +)
      #expect(sum == total, "\(key)")
    }
    // Eight readings fail, and with them Timing; eight are missing, and so is Feel.
    #expect(elements[0].attributes["failures"] == "9")
    #expect(elements[0].attributes["errors"] == "9")
  }

  @Test func `a failure says what was read and what was asked`() throws {
    var sample = SampleRecord()
    sample.limits = [Limit(ReadingName(.latencyRise), .below(0.001, marginal: nil))]
    let failure = try #require(elements(sample.make()).first { $0.name == "failure" })
    #expect(failure.attributes["message"] == "21.40 ± 0.30 ms; limit: at most 1 ms")
  }

  @Test func `what was not measured is skipped, and an error where it is required`() throws {
    var sample = SampleRecord()
    sample.names = ["Boing", "Drums"]
    sample.limits = [
      Limit(ReadingName(.syncAudioHaptic), .syncBands, required: false)
    ]
    #expect(
      try elements(sample.make()).contains {
        $0.name == "skipped" && $0.attributes["message"]?.contains("Drums.wav") == true
      })
    sample.limits = [Limit(ReadingName(.syncAudioHaptic), .syncBands)]
    let errors = try elements(sample.make()).filter { $0.name == "error" }
    #expect(errors.count == 2)
    #expect(errors.first?.attributes["message"]?.hasPrefix("required but not measured") == true)
  }

  @Test func `a required reading that nothing was read of has a case of its own`() throws {
    var sample = SampleRecord()
    sample.names = ["Boing"]
    sample.limits = [Limit(ReadingName(.decayError), .within(0.01, marginal: nil))]
    let error = try #require(elements(sample.make()).first { $0.name == "error" })
    #expect(
      error.attributes["message"]
        == "required but not measured: no such reading; limit: within ±10 ms")
  }

  @Test func `an interrupted run is an error of the run`() throws {
    var record = SampleRecord().make()
    record.run.status = .interrupted
    record.run.reason = "SIGINT"
    let elements = try elements(record)
    // The run's end, and Rig by it.
    #expect(elements[0].attributes["errors"] == "2")
    #expect(elements.contains { $0.name == "error" && $0.attributes["message"] == "SIGINT" })
  }

  @Test func `a marginal reading passes and says so`() throws {
    let outputs = try elements(SampleRecord().make()).filter { $0.name == "system-out" }
    // Two readings, and Feel by them.
    #expect(outputs.count { $0.text.hasPrefix("marginal: ") } == 3)
  }

  @Test func `rig, timing and feel are cases with the outcome of their verdicts`() throws {
    var record = SampleRecord(names: ["Boing"]).make()
    record.plan.limits = [
      Limit(ReadingName(.latencyTransport), .below(0.1e-3, marginal: nil)),
      Limit(ReadingName(.xruns), .below(0, marginal: nil)),
      Limit(ReadingName(.harmony), .above(50, marginal: nil), isCalibratedOnly: true),
    ]
    record.judge()
    func cases() throws -> String {
      let text = JUnitReport.text(record: record)
      let start = try #require(text.firstRange(of: "<testsuite name=\"verdicts\""))
      return String(text[start.lowerBound...])
    }
    let suite = try cases()
    #expect(
      suite.hasPrefix(
        """
        <testsuite name="verdicts" tests="3" failures="1" errors="0" skipped="1" \
        timestamp="2026-03-14T09:26:53Z">
        <testcase classname="verdicts" name="Rig"><system-out>pass: nothing is outside its limits\
        </system-out></testcase>
        <testcase classname="verdicts" name="Timing"><failure type="fail" \
        message="fail: latency.transport of Boing, take 1: 614 ± 12 us"/></testcase>
        <testcase classname="verdicts" name="Feel"><skipped message="not judged: no profile"/>\
        </testcase>
        """), "\(suite)")
    record.run.calibration = "lra-1, sha256 00"
    record.run.status = .interrupted
    record.judge()
    #expect(
      try cases().contains(
        "name=\"Rig\"><error type=\"not measured\" "
          + "message=\"not measured: the run was interrupted\"/>"))
    #expect(
      try cases().contains(
        "name=\"Feel\"><error type=\"not measured\" "
          + "message=\"not measured: harmony of Boing not measured\"/>"))
  }

  @Test func `units are properties of the suite`() throws {
    let properties = try elements(SampleRecord().make()).filter { $0.name == "property" }
    #expect(
      properties.contains {
        $0.attributes == ["name": "unit.intensity.error", "value": "dB"]
      })
  }

  @Test func `names of cases in a suite are unique`() throws {
    var sample = SampleRecord()
    sample.takes = 3
    let names = try elements(sample.make()).filter { $0.name == "testcase" }
      .map { "\($0.attributes["classname"] ?? "").\($0.attributes["name"] ?? "")" }
    #expect(Set(names).count == names.count)
  }

  @Test func `equal records give equal text, and only the header's date is in it`() {
    var record = SampleRecord().make()
    let text = JUnitReport.text(record: record)
    #expect(text == JUnitReport.text(record: SampleRecord().make()))
    record.header.date = "never"
    #expect(!JUnitReport.text(record: record).contains("2026"))
  }

  @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
  func `a strict reader of XML accepts hostile names`() throws {
    var sample = SampleRecord()
    let hostile = "]]><&\"'\u{0}\u{1B}\u{FFFF}🙂"
    sample.names = [hostile]
    var record = sample.make()
    record.plan.name = hostile
    for index in record.readings.indices { record.readings[index].note = hostile }
    let script = """
      import sys
      import xml.etree.ElementTree as tree
      root = tree.fromstring(sys.stdin.buffer.read())
      print(root.tag, len(root), len(root.findall('.//testcase')), root[0].get('name')[:6])
      """
    let cases = record.readings.count { $0.verdict != nil }
    #expect(
      try Python.run(script, input: JUnitReport.text(record: record))
        == "testsuites 3 \(cases + 3) ]]><&\"\n")
  }

  @Test func `what the control told stands in the run's suite, with its pattern`() throws {
    var sample = SampleRecord()
    sample.names = ["Boing"]
    var record = sample.make()
    var control = Reading(.drift, pattern: "Boing", take: 1, value: 99, uncertainty: 1)
    control.name = ReadingName(.drift, isControl: true)
    record.plan.limits = [
      Limit(control.name, .within(50, marginal: nil)),
      Limit(ReadingName(.noiseFloor, isControl: true), .below(1, marginal: nil), patterns: ["Far"]),
    ]
    record.readings = [control]
    record.verdict = Judgement.apply(record.plan, to: &record.readings, patterns: ["Boing"])
    let text = JUnitReport.text(record: record)
    #expect(
      text.contains("<testcase classname=\"run\" name=\"control.drift of Boing, take 1\"><failure"))
    #expect(text.contains("<testcase classname=\"run\" name=\"control.noise.floor\"><error"))
    #expect(!text.contains("classname=\"Boing\""))
  }
}
