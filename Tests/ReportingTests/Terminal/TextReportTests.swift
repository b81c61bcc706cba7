import Acceptance
import Reporting
import Testing

@Suite struct TextReportTests {
  @Test func `a run is a table with its verdict and what led to it`() {
    #expect(
      TextReport.table(record: SampleRecord().make())
        == """
                                 latency      latency  audio-haptic         intensity
        pattern               electrical    transport          sync       error (rms)  verdict
        ----------  --------------------  -----------  ------------  ----------------  --------
        Boing       5.20041 ± 0.00030 ms  614 ± 12 us   590 ± 24 us  1.807 ± 0.069 dB  pass
        Drums       5.20048 ± 0.00030 ms  642 ± 12 us  not measured  2.139 ± 0.049 dB  pass
        Gravel      5.20045 ± 0.00030 ms  630 ± 12 us             -  1.980 ± 0.019 dB  pass
        Heartbeats  5.20042 ± 0.00030 ms  618 ± 12 us   560 ± 24 us  1.917 ± 0.042 dB  pass
        Inflate     5.20049 ± 0.00030 ms  646 ± 12 us             -  2.214 ± 0.085 dB  pass
        Oscillate   5.20046 ± 0.00030 ms  634 ± 12 us             -  2.214 ± 0.085 dB  marginal
        Rumble      5.20043 ± 0.00030 ms  622 ± 12 us   530 ± 24 us  3.121 ± 0.060 dB  marginal
        Sparkle     5.20040 ± 0.00030 ms  610 ± 12 us             -  1.938 ± 0.024 dB  pass

        marginal: 8 patterns, 8 takes
          marginal      envelope.correlation of Oscillate: 0.8710 ± 0.0040 (at least 0.8, marginal at 0.9)
          marginal      intensity.error of Rumble, event 1: 5.40 ± 0.12 dB (within ±6 dB, marginal at 4 dB)

        """)
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
    let reasons = lines.drop { !$0.hasPrefix("fail:") }.dropFirst()
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
    #expect(lines[4].contains("longlonglonglonglonglonglon…  "))
    let ends = [1, 3, 4].map { lines[$0].count - (lines[$0].hasSuffix("verdict") ? 7 : 4) }
    #expect(Set(ends).count == 1, "the last column begins at \(ends)")
  }

  @Test func `a run without patterns has a verdict`() {
    var sample = SampleRecord()
    sample.names = []
    sample.limits = []
    #expect(TextReport.table(record: sample.make()).contains("\npass: 0 patterns, 0 takes\n"))
  }
}
