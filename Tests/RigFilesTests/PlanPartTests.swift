// SPDX-License-Identifier: Apache-2.0

import Acceptance
import RigFiles
import Testing

/// What a plan says besides patterns and limits.
struct PlanPartTests {
  @Test func `every key of a plan is read`() throws {
    let plan = try plan(
      """
      name: all
      patterns: [a]
      repeats: 6
      restarts: 2
      order: shuffled
      seed: 9
      actuator: left
      profile: ../../calibration
      setup:
        noise-floor: 0.1 g
        gravity: -1 g
        temperature: [18 degC, 28 degC]
        reference: true
        response: true
        disk-space: true
      control: {rig: ../simulated-lra.yaml, patterns: [b], every: 20}
      limits: [{reading: drift, within: 50 ppm}]
      required: [noise.floor, {reading: latency.onset, patterns: [a]}]
      expect-failure: [{reading: drift, pattern: a, why: a bad crystal}]
      notes: [mounted anew, cable changed]
      probe: false
      recordings: false
      """)
    #expect(
      plan
        == Plan(
          name: "all", patterns: ["a"], repeats: 6, restarts: 2, order: .shuffled, seed: 9,
          actuator: "left", profile: .all("../../calibration"),
          setup: SetupChecks(
            noiseFloor: 0.980665, gravity: -9.80665, temperature: 18...28, reference: true,
            response: true, diskSpace: true),
          control: ControlPlan(.rig("../simulated-lra.yaml"), patterns: ["b"], every: 20),
          limits: [Limit(ReadingName(.drift), .within(50, marginal: nil))],
          requirements: [
            Requirement(ReadingName(.noiseFloor)),
            Requirement(ReadingName(.latencyOnset), patterns: ["a"]),
          ],
          expectedFailures: [
            ExpectedFailure(ReadingName(.drift), pattern: "a", why: "a bad crystal")
          ],
          notes: ["mounted anew", "cable changed"], probe: false, recordings: .none))
  }

  @Test(arguments: [
    ("profile: none", PlanProfile.all("none")),
    ("profile: {a: p/a.json, b: none}", .byActuator(["a": "p/a.json", "b": "none"])),
  ])
  func `a profile is one for all or one for each actuator`(line: String, profile: PlanProfile)
    throws
  {
    #expect(try plan("name: x\n\(line)\n").profile == profile)
  }

  @Test func `a profile is that of its actuator`() {
    #expect(PlanProfile.all("p").choice(for: "a") == "p")
    #expect(PlanProfile.byActuator(["a": "p"]).choice(for: "a") == "p")
    #expect(PlanProfile.byActuator(["a": "p"]).choice(for: "b") == nil)
  }

  @Test func `one note needs no list, and the loop no rig`() throws {
    #expect(try plan("name: x\nnotes: mounted anew\n").notes == ["mounted anew"])
    #expect(try plan("name: x\ncontrol: {loop: true}\n").control == ControlPlan(.loop))
    let text = "name: x\ncontrol:\n  rig: ../other.yaml\n"
    let found = try Plan(yaml: Array(text.utf8), file: "x.yaml") { $0 == "../other.yaml" }
    #expect(found.control == ControlPlan(.rig("../other.yaml")))
    expectError("3:8", "'control' is of the rig '../other.yaml', and there is no such file") {
      try Plan(yaml: Array(text.utf8), file: "x.yaml") { _ in false }
    }
  }

  /// Keys that are wrong, each with its place and a phrase of its sentence.
  @Test(arguments: [
    ("restarts: 1", "2:11", "1 restarts part the repeats of each pattern into 2, and there is 1"),
    (
      "repeats: 3\nrestarts: 3", "3:11",
      "there are 3: write 'repeats: 4' or more, or fewer restarts"
    ),
    ("restarts: -1", "2:11", "it must be from 0 to 9999"),
    ("order: random", "2:8", "'random' is not an order of takes: use as-written, shuffled"),
    ("actuator: a/b", "2:11", "'a/b' cannot be a name"),
    ("setup: {noise: 1 g}", "2:9", "'noise' is not a key of 'setup'"),
    ("setup: {noise-floor: 1}", "2:22", "'1' has no unit"),
    ("setup: {noise-floor: 0 g}", "2:22", "it must be above 0 m/s2"),
    ("setup: {gravity: 9.8}", "2:18", "has no unit"),
    ("setup: {gravity: 2 g}", "2:18", "it must be from -12 m/s2 to 12 m/s2"),
    ("setup: {temperature: 23 degC}", "2:22", "must be a list such as [18 degC, 28 degC]"),
    ("setup: {temperature: [23 degC]}", "2:22", "needs two ends, the colder first"),
    ("setup: {temperature: [28 degC, 18 degC]}", "2:23", "stands first"),
    ("setup: {reference: wired}", "2:20", "write true or false"),
    ("control: {patterns: [a]}", "2:10", "write 'rig: ../simulated-lra.yaml' or 'loop: true'"),
    ("control: {loop: false}", "2:10", "write 'rig: ../simulated-lra.yaml' or 'loop: true'"),
    ("control: {rig: r, loop: true}", "2:19", "the control is of another rig already"),
    ("control: {loop: true, patterns: [a]}", "2:23", "the electrical loop plays sweeps of its own"),
    ("control: {rig: r, every: 0}", "2:26", "it must be from 1 to 100000"),
    ("control: {rigs: r}", "2:11", "did you mean 'rig'?"),
    ("required: [latency]", "2:12", "'latency' is not a reading"),
    ("required: [{pattern: a}]", "2:13", "is not a key of a required reading"),
    ("expect-failure: [{reading: decay.error, why: x}]", "2:28", "no limit judges decay.error"),
    ("expect-failure: [{reading: drift}]", "2:18", "an expected failure needs 'why'"),
    ("expect-failures: []", "2:1", "did you mean 'expect-failure'?"),
    ("note: x", "2:1", "did you mean 'notes'?"),
  ])
  func `what is wrong is told with its place`(lines: String, place: String, phrase: String) {
    expectError(place, phrase) { try plan("name: x\n\(lines)\n") }
  }

  @Test func `an expectation has to be of a reading and a pattern that a limit judges`() throws {
    let limits = "limits: [{reading: drift, within: 50 ppm, patterns: [a]}]"
    let text = "name: x\n\(limits)\nexpect-failure: [{reading: drift, pattern: b, why: x}]\n"
    expectError("3:28", "no limit judges drift of the pattern 'b'") { try plan(text) }
    #expect(try plan(text.replacing("pattern: b", with: "pattern: a")).expectedFailures.count == 1)
    #expect(try plan(text.replacing("pattern: b, ", with: "")).expectedFailures.count == 1)
  }

  @Test(arguments: [
    ("", ""), ("pattern: a, ", ""), ("", "pattern: a, "), ("pattern: a, ", "pattern: a, "),
  ])
  func `what is expected twice is refused`(first: String, second: String) {
    expectError("5:5", "this is expected on line 4 already") {
      try plan(
        """
        name: x
        limits: [{reading: drift, within: 50 ppm}]
        expect-failure:
          - {reading: drift, \(first)why: x}
          - {reading: drift, \(second)why: y}
        """)
    }
  }
}
