// SPDX-License-Identifier: Apache-2.0

import Acceptance
import RigFiles
import Testing
import Units

struct PlanTests {
  private func limit(_ text: String) throws -> Limit {
    let text = try rigFile("{reading: latency.onset, below: 20 ms}", with: text, of: smallPlan)
    return try #require(try plan(text).limits.first)
  }

  @Test func `a plan has defaults`() throws {
    #expect(
      try plan(smallPlan)
        == Plan(
          name: "small", patterns: ["a.ahap", "folder"],
          limits: [Limit(ReadingName(.latencyOnset), .below(20e-3, marginal: nil))]))
    #expect(try plan("name: x\nlimits: []\n") == Plan(name: "x"))
  }

  @Test func `a plan that states no limits has those that are shipped`() throws {
    let shipped = ShippedLimits()
    #expect(try plan("name: x\n").limits == shipped.limits(hasProbe: true))
    #expect(try plan("name: x\nprobe: false\n").limits == shipped.limits(hasProbe: false))
    let wireless = ShippedLimits(hasReference: false)
    let bytes = Array("name: x\n".utf8)
    #expect(
      try Plan(yaml: bytes, file: "x.yaml", shipped: wireless).limits
        == wireless.limits(hasProbe: true))
    // What fails them can be expected.
    let expected = try plan("name: x\nexpect-failure: [{reading: drift, why: a cheap crystal}]\n")
    #expect(expected.expectedFailures.count == 1)
  }

  @Test func `a limit of calibrated runs says so, and leaves room for one of all`() throws {
    let text = """
      name: x
      limits:
        - {reading: harmony, above: 50, calibrated: true}
        - {reading: harmony, above: 20}
      """
    #expect(try plan(text).limits.map(\.isCalibratedOnly) == [true, false])
    expectError("4:5", "never used, because the one on line 3") {
      try plan(text.replacing("calibrated: true", with: "calibrated: false"))
    }
    expectError("3:47", "'calibrated' is 'yes': write true or false") {
      try plan(text.replacing("calibrated: true", with: "calibrated: yes"))
    }
  }

  @Test func `all of a plan is read`() throws {
    let plan = try plan(
      "name: x\nrepeats: 3\nseed: 9\nprobe: false\nrecordings: false\npatterns: [a]\nlimits: []\n")
    #expect(
      plan
        == Plan(
          name: "x", patterns: ["a"], repeats: 3, seed: 9, probe: false, recordings: .none))
  }

  @Test func `recordings are kept packed, as floats, or not`() throws {
    for (text, recordings) in [
      ("", Plan.Recordings.packed), ("recordings: true\n", .packed), ("recordings: false\n", .none),
      ("recordings: float\n", .float),
    ] {
      #expect(try plan("name: x\nlimits: []\n" + text).recordings == recordings, "\(text)")
    }
    expectError("2:13", "'recordings' is 'wav': write true, false or float") {
      try plan("name: x\nrecordings: wav\n")
    }
  }

  @Test func `a limit is in the unit of its reading`() throws {
    #expect(
      try limit("{reading: latency.onset, below: 20 ms, marginal: 15 ms}").bound
        == .below(20e-3, marginal: 15e-3))
    #expect(
      try limit("{reading: intensity.error, within: 3 dB, marginal: 2 dB}").bound
        == .within(3, marginal: 2))
    #expect(
      try limit("{reading: envelope.correlation, above: 0.8, marginal: 0.9}").bound
        == .above(0.8, marginal: 0.9))
    #expect(try limit("{reading: gamut.outside, below: 20 %}").bound == .below(0.2, marginal: nil))
    #expect(try limit("{reading: drift, within: 50 ppm}").bound == .within(50, marginal: nil))
    #expect(try limit("{reading: xruns, below: 0}").bound == .below(0, marginal: nil))
    #expect(
      try limit("{reading: sharpness.error, within: 0.1 octave}").bound
        == .within(0.1, marginal: nil))
    #expect(try limit("{reading: sync.audioHaptic, bands: sync}").bound == .syncBands)
  }

  @Test(arguments: ReadingKind.allCases)
  func `every reading can have a limit in its own unit`(kind: ReadingKind) throws {
    let unit = kind.unit
    let text = unit == .one ? "1" : unit == .count ? "1 count" : "1 \(unit.rawValue)"
    #expect(
      try limit("{reading: \(kind.rawValue), below: \(text)}")
        == Limit(ReadingName(kind), .below(1, marginal: nil)))
  }

  @Test func `a limit can be of the control, of some patterns, and not required`() throws {
    #expect(
      try limit("{reading: control.xruns, below: 0, required: false, patterns: [a, b]}")
        == Limit(
          ReadingName(.xruns, isControl: true), .below(0, marginal: nil), required: false,
          patterns: ["a", "b"]))
  }

  @Test func `a limit of some patterns can stand before that of all`() throws {
    let plan = try plan(
      """
      name: x
      limits:
        - {reading: xruns, below: 1, patterns: [a]}
        - {reading: xruns, below: 0}
      """)
    #expect(plan.limits.count == 2)
  }

  @Test func `a reading that is none is compared with those that are`() {
    expectError("4:15", "'latency.onst' is not a reading: use latency.onset, ") {
      try limit("{reading: latency.onst, below: 20 ms}")
    }
    expectError("4:15", "'control.xrun' is not a reading: use control.xruns, ") {
      try limit("{reading: control.xrun, below: 0}")
    }
    let names = ReadingKind.allCases.map(\.rawValue)
    let error = #expect(throws: RigFileError.self) { try limit("{reading: none, below: 0}") }
    for name in names { #expect(error?.message.contains(name) == true) }
  }

  @Test func `a limit has one bound`() {
    expectError(
      "4:5", "a limit needs one of below, above, within, bands: write for example 'below: 20 ms'"
    ) {
      try limit("{reading: latency.onset}")
    }
    expectError("4:30", "'above' cannot stand here: the limit has 'below' already") {
      try limit("{reading: latency.onset, above: 1 ms, below: 20 ms}")
    }
  }

  @Test func `a bound is in the dimension of its reading`() {
    expectError("4:37", "in 'below', 'dB' is not a unit of time: use s, ms, us, min") {
      try limit("{reading: latency.onset, below: 20 dB}")
    }
    expectError("4:37", "'20' has no unit") { try limit("{reading: latency.onset, below: 20}") }
    expectError("4:30", "'within' has no unit: drift is given in ppm, for example '50 ppm'") {
      try limit("{reading: drift, within: 50}")
    }
    expectError("4:40", "'within' is a distance either side of zero") {
      try limit("{reading: intensity.error, within: -3 dB}")
    }
  }

  @Test func `marginal lies inside the limit`() {
    expectError("4:54", "'marginal' lies outside 'below'") {
      try limit("{reading: latency.onset, below: 20 ms, marginal: 21 ms}")
    }
    expectError("4:59", "'marginal' lies outside 'above'") {
      try limit("{reading: envelope.correlation, above: 0.8, marginal: 0.7}")
    }
    expectError("4:56", "'marginal' lies outside 'within'") {
      try limit("{reading: intensity.error, within: 3 dB, marginal: 4 dB}")
    }
  }

  @Test func `the bands of sync are of one reading`() {
    expectError("4:37", "the bands 'sync' are those of sync.audioHaptic, not of latency.onset") {
      try limit("{reading: latency.onset, bands: sync}")
    }
    expectError("4:40", "'traffic' is not a name of bands: use sync") {
      try limit("{reading: sync.audioHaptic, bands: traffic}")
    }
    expectError("4:46", "'marginal' cannot stand here: the bands 'sync' hold their own") {
      try limit("{reading: sync.audioHaptic, bands: sync, marginal: 1 ms}")
    }
  }

  @Test func `a limit that is never used is refused`() {
    expectError("4:5", "never used, because the one on line 3 holds for the same patterns") {
      try plan(
        "name: x\nlimits:\n  - {reading: drift, below: 1 ppm}\n  - {reading: drift, above: 0 ppm}\n"
      )
    }
  }

  @Test func `a plan's own keys and values are checked`() {
    expectError("2:1", "'pattern' is not a key of a plan (did you mean 'patterns'?)") {
      try plan("name: x\npattern: [a]\n")
    }
    expectError("1:1", "a plan needs 'name'") { try plan("patterns: [a]\n") }
    expectError("2:11", "'patterns' must be a list such as [../patterns], but is the single value")
    {
      try plan("name: x\npatterns: ../patterns\n")
    }
    expectError("2:11", "but is an empty list") { try plan("name: x\npatterns: []\n") }
    expectError("2:10", "'repeats' is '0': it must be from 1 to 10000") {
      try plan("name: x\nrepeats: 0\n")
    }
    expectError("2:7", "'seed' is '-1': it must be from 0 to 18446744073709551615") {
      try plan("name: x\nseed: -1\n")
    }
    expectError("2:8", "'probe' is 'yes': write true or false") {
      try plan("name: x\nprobe: yes\n")
    }
  }
}
