// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Reporting
import Testing

@Suite struct TextReportTests {
  @Test func `a run is a table with its verdict and what led to it`() {
    #expect(
      TextReport.table(record: SampleRecord().make())
        == """
        Rig pass   Timing pass   Feel marginal
          Feel    envelope match of Oscillate, take 1: 0.8710 ± 0.0040; level error of Rumble, take 1, event
                  1: 5.40 ± 0.12 dB

        Boing       uncalibrated, contrast kept to 2 dB; starts 0.61 ms late; in sync; 3 of 3 events
        Drums       uncalibrated, contrast off by 2.7 dB; starts 0.64 ms late; sync not measured; 6 of 6
                    events
        Gravel      uncalibrated, contrast off by 2.4 dB; starts 0.63 ms late; 40 of 40 events
        Heartbeats  uncalibrated, contrast kept to 2.1 dB; starts 0.62 ms late; in sync; 8 of 8 events
        Inflate     uncalibrated, contrast off by 2.8 dB; starts 0.65 ms late; 2 of 2 events
        Oscillate   uncalibrated, contrast off by 2.5 dB; starts 0.63 ms late; 2 of 2 events
        Rumble      uncalibrated, contrast kept to 2.2 dB; starts 0.62 ms late; in sync; 4 of 4 events
        Sparkle     uncalibrated, contrast kept to 1.9 dB; starts 0.61 ms late; 24 of 24 events

        pattern     verdict   scored    latency       sync  contrast
                              events         ms         ms        dB
        ----------  --------  ------  ---------  ---------  --------
        Boing       pass         3/3  0.614(13)  0.590(24)  2.00(11)
        Drums       pass         6/6  0.642(13)        n/m  2.70(11)
        Gravel      pass       40/40  0.630(13)          -  2.40(11)
        Heartbeats  pass         8/8  0.618(13)  0.560(24)  2.10(11)
        Inflate     pass         2/2  0.646(13)          -  2.80(11)
        Oscillate   marginal     2/2  0.634(13)          -  2.50(11)
        Rumble      marginal     4/4  0.622(13)  0.530(24)  2.20(11)
        Sparkle     pass       24/24  0.610(13)          -  1.90(11)

        worst events:
          marginal      Rumble, take 1, event 1, a continuous event at 0.675 s: 4.4 dB stronger than the
                        others
          marginal      Rumble, take 1, event 0, a transient at 0.000 s: 3.8 dB weaker than the others
          marginal      Heartbeats, take 1, event 4, a continuous event at 0.900 s: 3.3 dB stronger than the
                        others

        run                                      value      n  verdict
        ----------------------  ----------------------  -----  -------
        electrical delay            5.2004 ± 0.0001 ms      8  pass
        underruns and overruns                       0      1  pass
        lost stretches                               0      1
        overloads                                    0      1
        clock drift                   12.04 ± 0.11 ppm      8
        noise at rest           0.01230 ± 0.00040 m/s2  24000
        jitter from start to start not measured: needs at least three takes, this run has one

        marginal: 8 patterns, 8 takes
          marginal      envelope match of Oscillate, take 1: 0.8710 ± 0.0040 (at least 0.8, marginal at 0.9)
          marginal      level error of Rumble, take 1, event 1: 5.40 ± 0.12 dB (within ±6 dB, marginal at 4
                        dB)
        not measured:
          felt start, 39 readings: unresolved: its neighbour is 31 ms away, an isolated event needs 60 ms
          sound-to-touch sync, 1 reading: the waveform 'Drums.wav' is missing

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
          pass          rise at resonance of Boing fails as expected (1 reading): a slow motor
          marginal      underruns and overruns was expected to fail and holds: a bad card
          not measured  clock drift was expected to fail: a bad crystal

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
        "  felt start, 39 readings: unresolved: its neighbour is 31 ms away, an isolated event "
          + "needs 60 ms",
        "  sound-to-touch sync, 1 reading: the waveform 'Drums.wav' is missing",
      ])
  }

  @Test func `the control and the openings of the devices are told`() {
    var record = SampleRecord().make()
    var reading = Reading(.latencyElectrical, pattern: "x", take: 1, value: 5e-3, uncertainty: 1e-6)
    reading.name = ReadingName(.latencyElectrical, isControl: true)
    record.readings.append(reading)
    record.patterns[0].takes[0].opening = 1
    record.patterns[1].takes[0].opening = 2
    let text = TextReport.table(record: record)
    #expect(text.contains("control: electrical delay"))
    #expect(text.contains(" 8 takes, the devices opened 2 times\n"))
  }

  @Test func `who asks gets what each number means, with the name that plans use`() {
    let record = SampleRecord().make()
    let brief = TextReport.table(record: record)
    let whole = TextReport.table(record: record, explaining: true)
    #expect(whole.hasPrefix(brief))
    let meanings = whole.dropFirst(brief.count)
    #expect(meanings.contains("\n  noise at rest (noise.floor): RMS of the response while nothing"))
    for kind in Set(record.readings.map(\.name.kind)) {
      #expect(meanings.contains("  \(kind.title) (\(kind.rawValue)): "), "\(kind)")
    }
    #expect(meanings.split(separator: "\n").allSatisfy { $0.count <= 100 })
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
    let text = TextReport.table(record: sample.make()).split(separator: "\n")
    let lines = Array(text.drop { !$0.hasPrefix("pattern ") })
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
