// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@Suite struct LimitJudgingTests {
  @Test(arguments: [
    (9.0, Verdict.pass), (10, .pass), (10.1, .marginal), (12, .marginal), (12.1, .fail),
    (-100, .pass),
  ])
  func `a ceiling passes to its margin and fails above its limit`(value: Double, verdict: Verdict) {
    let limit = Limit(ReadingName(.driveLimited), .below(12, marginal: 10))
    #expect(limit.judge(value, uncertainty: nil) == verdict, "at \(value)")
  }

  @Test(arguments: [
    (0.95, Verdict.pass), (0.9, .pass), (0.85, .marginal), (0.8, .marginal), (0.79, .fail),
  ])
  func `a floor passes from its margin and fails below its limit`(value: Double, verdict: Verdict) {
    let limit = Limit(ReadingName(.envelopeCorrelation), .above(0.8, marginal: 0.9))
    #expect(limit.judge(value, uncertainty: nil) == verdict, "at \(value)")
  }

  @Test(arguments: [(2.0, Verdict.pass), (2.1, .marginal), (3, .marginal), (3.1, .fail)])
  func `a band holds either side of zero`(value: Double, verdict: Verdict) {
    let limit = Limit(ReadingName(.intensityError), .within(3, marginal: 2))
    #expect(limit.judge(value, uncertainty: nil) == verdict, "at \(value)")
    #expect(limit.judge(-value, uncertainty: nil) == verdict, "at \(-value)")
  }

  @Test func `without a margin there is nothing between pass and fail`() {
    let limit = Limit(ReadingName(.xruns), .below(0, marginal: nil))
    #expect(limit.judge(0, uncertainty: nil) == .pass)
    #expect(limit.judge(1, uncertainty: nil) == .fail)
  }

  @Test func `a pass that two uncertainties could undo is marginal`() {
    let limit = Limit(ReadingName(.intensityError), .within(3, marginal: nil))
    #expect(limit.judge(2.5, uncertainty: 0.2) == .pass)
    #expect(limit.judge(2.5, uncertainty: 0.3) == .marginal)
    #expect(limit.judge(-2.5, uncertainty: 0.3) == .marginal)
  }

  @Test func `uncertainty never saves a value outside its limit`() {
    let limit = Limit(ReadingName(.intensityError), .within(3, marginal: nil))
    #expect(limit.judge(3.1, uncertainty: 5) == .fail)
  }

  @Test func `a negative uncertainty counts as none`() {
    let limit = Limit(ReadingName(.intensityError), .within(3, marginal: nil))
    #expect(limit.judge(2.9, uncertainty: -1) == .pass)
  }

  @Test(arguments: [
    (-0.9, Verdict.pass), (-9.9, .pass), (-10.1, .marginal), (-23.9, .marginal), (-24.1, .fail),
    (0.9, .pass), (4.9, .pass), (5.1, .marginal), (11.9, .marginal), (12.1, .fail),
  ])
  func `sync is judged twice as hard where the audio leads`(milliseconds: Double, verdict: Verdict)
  {
    // Haptic minus audio: a positive offset is a haptic that comes after its sound.
    let limit = Limit(ReadingName(.syncAudioHaptic), .syncBands)
    #expect(limit.judge(milliseconds / 1000, uncertainty: nil) == verdict, "at \(milliseconds) ms")
  }

  @Test func `a limit for some patterns leaves the others and the run alone`() {
    let limit = Limit(ReadingName(.drift), .within(1, marginal: nil), patterns: ["A"])
    #expect(limit.applies(to: "A"))
    #expect(!limit.applies(to: "B"))
    #expect(!limit.applies(to: nil))
  }

  @Test func `a limit in words carries its unit and its margin`() {
    #expect(
      Limit(ReadingName(.latencyOnset), .below(0.01, marginal: 0.008)).text
        == "at most 10 ms, marginal at 8 ms")
    #expect(
      Limit(ReadingName(.intensityError), .within(3, marginal: nil)).text == "within ±3 dB")
    #expect(
      Limit(ReadingName(.envelopeCorrelation), .above(0.8, marginal: nil)).text == "at least 0.8")
  }
}
