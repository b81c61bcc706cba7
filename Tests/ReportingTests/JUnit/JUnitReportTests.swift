import Acceptance
import Reporting
import Testing

@Suite struct JUnitReportTests {
  private func elements(_ record: RunRecord) throws -> [Element] {
    try Element.all(in: JUnitReport.text(record: record))
  }

  @Test func `a suite a pattern and one for the run, a case a judged reading`() throws {
    let record = SampleRecord().make()
    let elements = try elements(record)
    let suites = elements.filter { $0.name == "testsuite" }.compactMap { $0.attributes["name"] }
    #expect(suites == SampleRecord.names + ["run"])
    let judged = record.readings.count { $0.verdict != nil }
    #expect(elements.count { $0.name == "testcase" } == judged)
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
    #expect(elements[0].attributes["failures"] == "8")
    #expect(elements[0].attributes["errors"] == "8")
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
    #expect(errors.count == 1)
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
    #expect(elements[0].attributes["errors"] == "1")
    #expect(elements.contains { $0.name == "error" && $0.attributes["message"] == "SIGINT" })
  }

  @Test func `a marginal reading passes and says so`() throws {
    let outputs = try elements(SampleRecord().make()).filter { $0.name == "system-out" }
    #expect(outputs.count { $0.text.hasPrefix("marginal: ") } == 2)
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
        == "testsuites 2 \(cases) ]]><&\"\n")
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
