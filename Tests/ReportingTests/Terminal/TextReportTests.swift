import Acceptance
import Reporting
import Testing

@Suite struct TextReportTests {
  @Test func `a run is a table with its verdict and what led to it`() {
    #expect(
      TextReport.table(record: SampleRecord().make())
        == """
        pattern     verdict      sync  latency  intensity  xruns
                                   ms       ms         dB
        ----------  --------  -------  -------  ---------  -----
        Boing       pass      0.59(2)  0.61(1)     1.8(1)      0
        Drums       pass          n/m  0.64(1)    2.14(5)      0
        Gravel      pass            -  0.63(1)    1.98(2)      0
        Heartbeats  pass      0.56(2)  0.62(1)    1.92(4)      0
        Inflate     pass            -  0.65(1)     2.2(1)      0
        Oscillate   marginal        -  0.63(1)     2.2(1)      0
        Rumble      marginal  0.53(2)  0.62(1)     3.1(1)      0
        Sparkle     pass            -  0.61(1)    1.94(2)      0

        run                                  value      n  verdict
        ------------------  ----------------------  -----  -------
        latency.electrical    5.20044 ± 0.00011 ms      8  pass
        xruns                                    0      1  pass
        dropouts                                 0      1
        overloads                                0      1
        drift                     12.04 ± 0.11 ppm      8
        noise.floor         0.01230 ± 0.00040 m/s2  24000
        latency.jitter not measured: needs at least three takes, this run has one

        marginal: 8 patterns, 8 takes
          marginal      envelope.correlation of Oscillate: 0.8710 ± 0.0040 (at least 0.8, marginal at 0.9)
          marginal      intensity.error of Rumble, event 1: 5.40 ± 0.12 dB (within ±6 dB, marginal at 4 dB)
        not measured:
          latency.onset, 39 readings: unresolved: its neighbour is 31 ms away, an isolated event needs 60 ms
          sync.audioHaptic, 1 reading: the waveform 'Drums.wav' is missing

        """)
  }

  @Test func `no line is wider than a hundred columns, whatever it says`() {
    var sample = SampleRecord()
    sample.names = SampleRecord.names.map { String(repeating: $0, count: 9) }
    sample.limits.append(Limit(ReadingName(.latencyRise), .below(0.001, marginal: nil)))
    var record = sample.make()
    record.plan.notes = [String(repeating: "note ", count: 50)]
    record.plan.expectedFailures = [
      ExpectedFailure(ReadingName(.drift), why: String(repeating: "why ", count: 50))
    ]
    record.setup = [SetupFinding(.gravity, holds: false, String(repeating: "down ", count: 50))]
    record.readings.append(
      Reading(
        notMeasured: .latencyOnset, pattern: "x", because: String(repeating: "no ", count: 80)))
    for line in TextReport.table(record: record).split(separator: "\n") {
      #expect(line.count <= 100, "\(line)")
    }
  }

  @Test func `expected failures are shown with how they turned out`() {
    var sample = SampleRecord()
    sample.limits.append(Limit(ReadingName(.latencyRise), .below(0.001, marginal: nil)))
    var record = sample.make()
    record.plan.expectedFailures = [
      ExpectedFailure(ReadingName(.latencyRise), pattern: "Boing", why: "a slow motor"),
      ExpectedFailure(ReadingName(.xruns), why: "a bad card"),
      ExpectedFailure(ReadingName(.drift), why: "a bad crystal"),
    ]
    let text = TextReport.table(record: record)
    #expect(
      text.contains(
        """
          pass          latency.rise of Boing fails as expected (1 reading): a slow motor
          marginal      xruns was expected to fail and holds: a bad card
          not measured  drift was expected to fail: a bad crystal

        """))
  }

  @Test func `checks before the first take are counted, and told one by one where one failed`() {
    var record = SampleRecord().make()
    record.setup = [
      SetupFinding(.reference, holds: true, "it is there"),
      SetupFinding(.gravity, holds: true, "it is down"),
    ]
    #expect(TextReport.table(record: record).contains("\nsetup: 2 checks passed\n"))
    record.setup?[1] = SetupFinding(.gravity, holds: false, "it is up")
    record.patterns = []
    record.readings = []
    let text = TextReport.table(record: record)
    #expect(
      text.contains(
        """
          pass          setup reference: it is there
          fail          setup gravity: it is up

        """))
    #expect(!text.contains("pattern  "))
  }

  @Test func `what was not measured is told by name, with its count and a reason`() {
    var sample = SampleRecord()
    sample.names = ["Boing", "Drums", "Gravel"]
    let lines = TextReport.table(record: sample.make()).split(separator: "\n")
    let absences = lines.drop { $0 != "not measured:" }.dropFirst()
    #expect(
      Array(absences) == [
        "  latency.onset, 39 readings: unresolved: its neighbour is 31 ms away, an isolated event "
          + "needs 60 ms",
        "  sync.audioHaptic, 1 reading: the waveform 'Drums.wav' is missing",
      ])
  }

  @Test func `the control and the openings of the devices are told`() {
    var record = SampleRecord().make()
    var reading = Reading(.latencyElectrical, pattern: "x", take: 1, value: 5e-3, uncertainty: 1e-6)
    reading.name = ReadingName(.latencyElectrical, isControl: true)
    record.readings.append(reading)
    record.patterns[0].takes[0].start = 1
    record.patterns[1].takes[0].start = 2
    let text = TextReport.table(record: record)
    #expect(text.contains("control.latency.electrical"))
    #expect(text.contains(" 8 takes, the devices opened 2 times\n"))
  }

  @Test func `colour adds sequences and changes no word`() {
    let record = SampleRecord().make()
    let colored = TextReport.table(record: record, color: true)
    #expect(colored.contains("\u{1B}[32mpass\u{1B}[0m"))
    #expect(colored.contains("\u{1B}[33mmarginal\u{1B}[0m"))
    var plain = colored
    for code in ["0", "31", "32", "33", "35"] {
      plain = plain.replacing("\u{1B}[\(code)m", with: "")
    }
    #expect(plain == TextReport.table(record: record))
  }

  @Test func `at most ten lines of reasons follow, with the count of the rest`() {
    var sample = SampleRecord()
    sample.limits = [Limit(ReadingName(.responseFrequency), .below(1, marginal: nil))]
    let lines = TextReport.table(record: sample.make()).split(separator: "\n")
    let reasons = lines.drop { !$0.hasPrefix("fail:") }.dropFirst().prefix { $0 != "not measured:" }
    #expect(reasons.count == 10)
    #expect(reasons.last == "  and 80 more")
  }

  @Test func `exactly ten reasons need no rest`() {
    var sample = SampleRecord()
    sample.names = ["Boing", "Drums"]
    var record = sample.make()
    record.readings = (0..<10).map { event in
      var reading = Reading(.latencyOnset, pattern: "Boing", event: event, value: 1)
      reading.verdict = .fail
      return reading
    }
    record.plan.limits = []
    record.verdict = .fail
    let lines = TextReport.table(record: record).split(separator: "\n")
    #expect(lines.drop { !$0.hasPrefix("fail:") }.count == 11)
  }

  @Test func `a name cannot steer the terminal`() {
    var sample = SampleRecord()
    sample.names = ["\u{1B}[2Jgone\nnext\u{9B}"]
    var record = sample.make()
    record.run.status = .fault
    record.run.reason = "a\u{1B}b"
    let text = TextReport.table(record: record)
    #expect(!text.contains("\u{1B}"))
    #expect(!text.contains("\u{9B}"))
    #expect(text.contains("\u{FFFD}[2Jgone\u{FFFD}next\u{FFFD}"))
    #expect(text.contains("A device fault ended the run: a\u{FFFD}b.\n"))
  }

  @Test func `a long name is cut and the columns stay even`() {
    var sample = SampleRecord()
    sample.names = ["Boing", String(repeating: "long", count: 20)]
    let lines = TextReport.table(record: sample.make()).split(separator: "\n")
    #expect(lines[4].hasPrefix("longlonglonglongl…  "))
    let places = [3, 4].map { lines[$0].firstRange(of: "  pass ")?.lowerBound }
    let columns = zip([3, 4], places).map { line, place in
      place.map { lines[line].distance(from: lines[line].startIndex, to: $0) }
    }
    #expect(Set(columns) == [18], "the verdicts begin after \(columns)")
  }

  @Test func `a run without patterns has a verdict`() {
    var sample = SampleRecord()
    sample.names = []
    sample.limits = []
    #expect(TextReport.table(record: sample.make()).contains("\npass: 0 patterns, 0 takes\n"))
  }
}
