// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@testable import Reporting

@Suite struct RunSummaryTests {
  @Test func `reasons come heaviest first`() throws {
    var sample = SampleRecord()
    sample.limits.append(Limit(ReadingName(.latencyRise), .below(0.001, marginal: nil)))
    sample.limits.append(Limit(ReadingName(.latencyJitter), .below(0.001, marginal: nil)))
    let reasons = RunSummary(sample.make()).reasons
    let weights = reasons.map(\.verdict)
    #expect(weights == [Verdict](repeating: .fail, count: 8) + [.notMeasured] * 8 + [.marginal] * 2)
    #expect(reasons[0].subject == "rise at resonance of Boing, take 1")
    #expect(reasons[0].detail == "21.40 ± 0.30 ms (at most 1 ms)")
    #expect(reasons[8].subject == "jitter from start to start of Boing")
  }

  @Test func `a missing reading carries the reason of the one that was tried`() throws {
    var sample = SampleRecord()
    sample.names = ["Boing", "Drums"]
    sample.limits = [
      Limit(ReadingName(.syncAudioHaptic), .syncBands, patterns: ["Drums"])
    ]
    let summary = RunSummary(sample.make())
    #expect(summary.reasons.map(\.subject) == ["sound-to-touch sync of Drums"])
    #expect(
      summary.reasons[0].detail
        == "the waveform 'Drums.wav' is missing (required: within 10 ms, marginal to 24 ms, "
        + "halved where audio leads)")
    #expect(
      summary.sentence
        == "2 patterns, 2 takes: not measured. "
        + "1 reading required but not measured: sound-to-touch sync of Drums.")
  }

  @Test func `a clean run says that nothing is outside its limits`() {
    var sample = SampleRecord()
    sample.names = ["Boing"]
    #expect(
      RunSummary(sample.make()).sentence
        == "1 pattern, 1 take: pass. No reading is outside its limits.")
  }

  @Test func `a sentence names three readings and counts the rest`() {
    var sample = SampleRecord()
    sample.limits = [Limit(ReadingName(.latencyRise), .below(0.001, marginal: nil))]
    #expect(
      RunSummary(sample.make()).sentence
        == "8 patterns, 8 takes: fail. 8 readings outside their limits: "
        + "rise at resonance of Boing, take 1; rise at resonance of Drums, take 1; "
        + "rise at resonance of Gravel, take 1; and 5 more.")
  }
}

private func * (verdicts: [Verdict], count: Int) -> [Verdict] {
  (0..<count).flatMap { _ in verdicts }
}
