// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// What a plan can ask of a run.
struct PlanCommandTests {
  /// A bench with a simulated rig and one tap.
  private func bench(
    _ plan: String, changing changes: [String: String] = [:], faults: String? = nil
  ) throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig(changing: changes, faults: faults)
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write("name: asked\npatterns: [tap.ahap]\n" + plan, to: "plan.yaml")
    return bench
  }

  private func run(_ bench: Workbench, _ options: String...) throws -> Ending {
    try bench.haprig(
      ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out", "--quiet"] + options)
  }

  @Test(arguments: [
    ("noise-floor: 0.0001 m/s2", "noise-floor", "find what shakes the rig"),
    ("gravity: -1 g", "gravity", "upside down"),
    ("temperature: [30 degC, 40 degC]", "temperature", "must be from 30 degC to 40 degC"),
  ])
  func `a setup check that fails ends the run with exit code 3 and no number`(
    check: String, name: String, words: String
  ) throws {
    let bench = try bench(
      "setup: {\(check), reference: true}\nlimits: [{reading: xruns, below: 0}]\n")
    let ending = try run(bench)
    #expect(ending.code == 3, "\(ending.errors)")
    expectSentence(ending, saying: ["simulated-lra: the setup check '\(name)' failed: ", words])
    let record = try bench.record()
    #expect(record.status == "fault")
    #expect(record.verdict == "fail")
    #expect(record.json["verdicts"]?["rig"] == ["verdict": "fail"])
    #expect(record.reason?.contains(words) == true)
    #expect(record.json["readings"]?.elements?.isEmpty == true)
    #expect(record.patterns.isEmpty)
    let findings = record.json["setup"]?.elements ?? []
    #expect(findings.filter { $0["holds"]?.bool == false }.map { $0["check"]?.string } == [name])
    #expect(ending.output.contains("setup \(name): "), "\(ending.output)")
    let files = try FileManager.default.contentsOfDirectory(atPath: record.folder.path())
    #expect(Set(files) == ["inputs", "junit.xml", "readings.csv", "record.json", "report.html"])
  }

  @Test func `a reference that the rig file lacks is told with the lines to add`() throws {
    let bench = try bench(
      "setup: {reference: true, response: true}\n",
      changing: ["{haptic: 1, audio: 2, reference: 3}": "{haptic: 1, audio: 2}"])
    let ending = try run(bench)
    #expect(ending.code == 2)
    expectSentence(
      ending, saying: ["needs the reference wire", "'reference: N' to the channels of 'drive'"])
    #expect(!ending.errors.contains("of 'capture'"))
    #expect(bench.names(in: "reports").isEmpty)
  }

  @Test func `a device that fails during the checks is a device fault with a record`() throws {
    let bench = try bench(
      "setup: {reference: true}\n", faults: "{kind: unplug, at: 0.2 s}")
    let ending = try run(bench)
    #expect(ending.code == 3, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.status == "fault")
    #expect(record.json["readings"]?.elements?.isEmpty == true)
  }

  /// The words for rig, timing and feel.
  private func verdicts(_ record: Record) -> [String?] {
    ["rig", "timing", "feel"].map { record.json["verdicts"]?[$0]?["verdict"]?.string }
  }

  @Test func `a plan that states no limits is judged by those that are shipped`() throws {
    let bench = try bench("")
    let ending = try run(bench)
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(verdicts(record) == ["pass", "pass", "not judged"])
    #expect(record.json["verdicts"]?["feel"]?["reason"] == "no profile")
    #expect(record.verdict == "marginal")
    let limits = record.json["plan"]?["limits"]?.elements ?? []
    #expect(limits.count { $0["calibrated"]?.bool == true } == 5)
  }

  @Test func `a plan that states that it has no limits is judged by none`() throws {
    let bench = try bench("limits: []\n")
    #expect(try run(bench).code == 0)
    let record = try bench.record()
    #expect(verdicts(record) == ["not judged", "not judged", "not judged"])
    #expect(record.verdict == "pass")
  }

  @Test func `a plan that states latencies alone passes as it always did`() throws {
    let bench = try bench("limits: [{reading: latency.electrical, below: 20 ms}]\n")
    #expect(try run(bench).code == 0)
    let record = try bench.record()
    #expect(verdicts(record) == ["not judged", "pass", "not judged"])
    #expect(record.json["verdicts"]?["feel"]?["reason"] == "no limits")
    #expect(record.verdict == "pass")
  }

  @Test(arguments: [
    ("latency: 5.2 ms", "latency: 60 ms", "latency.electrical"),
    ("transport: 0.40 ms", "transport: 12 ms", "latency.transport"),
  ])
  func `a rig that is late fails the timing that is shipped`(
    old: String, new: String, reading: String
  ) throws {
    let bench = try bench("", changing: [old: new])
    let ending = try run(bench)
    #expect(ending.code == 1, "\(ending.errors)")
    let record = try bench.record()
    #expect(verdicts(record) == ["pass", "fail", "not judged"])
    #expect(record.verdict == "fail")
    #expect(try record.reading(reading)["verdict"]?.string == "fail")
  }

  @Test func `an expected failure that fails passes and is shown`() throws {
    let bench = try bench(
      """
      limits: [{reading: response.peak, below: 0.001 m/s2}]
      expect-failure: [{reading: response.peak, pattern: tap, why: the tap is felt}]
      """)
    let ending = try run(bench)
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.verdict == "pass")
    let peak = try record.reading("response.peak")
    #expect(peak["verdict"]?.string == "pass")
    #expect(peak["note"]?.string?.hasSuffix("fails as expected: the tap is felt") == true)
    #expect(
      ending.output.contains(
        "peak acceleration of tap fails as expected (1 reading): the tap is felt"))
  }

  @Test func `an expected failure that holds is marginal`() throws {
    let bench = try bench(
      """
      limits: [{reading: xruns, below: 0}]
      expect-failure: [{reading: xruns, why: the card loses frames}]
      """)
    let ending = try run(bench)
    #expect(ending.code == 0)
    #expect(try bench.record().verdict == "marginal")
    #expect(
      ending.output.contains(
        "underruns and overruns was expected to fail and holds: the card loses frames"))
  }

  @Test func `what a plan asks of a pattern that is not played is refused`() throws {
    let bench = try bench(
      """
      limits: [{reading: xruns, below: 0}]
      expect-failure: [{reading: xruns, pattern: knock, why: the card loses frames}]
      """)
    expectRefusal(
      try run(bench), saying: "the expected failure of xruns names the pattern 'knock'", in: bench)
    try bench.write(
      "name: x\npatterns: [tap.ahap]\nrequired: [{reading: xruns, patterns: [knock]}]\n",
      to: "plan.yaml")
    expectRefusal(try run(bench), saying: "the required xruns names the pattern 'knock'", in: bench)
  }

  @Test func `a required reading without a limit that is not measured is exit code 1`() throws {
    let bench = try bench("required: [sync.audioHaptic]\n")
    let ending = try run(bench)
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(try bench.record().verdict == "not measured")
    #expect(ending.output.contains("sound-to-touch sync of tap"), "\(ending.output)")
  }

  @Test func `restarts open the devices anew, and the jitter of both is told`() throws {
    let bench = try bench("repeats: 6\nrestarts: 2\n")
    let ending = try run(bench)
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.takes.map { $0["start"]?.integer } == [1, 1, 2, 2, 3, 3])
    // A simulation that is opened anew draws anew: no two starts are alike.
    let delays = record.readings("latency.electrical").compactMap { $0["value"]?.number }
    #expect(Set(delays).count == 6)
    #expect(try record.value("latency.jitter.restarts") > 1e-6)
    #expect(ending.output.contains("marginal: 1 pattern, 6 takes, the devices opened 3 times"))
  }

  @Test func `a control has its own rig, names and files, and limits of its own`() throws {
    let bench = try bench(
      """
      control: {rig: other.yaml, patterns: [knock.ahap]}
      limits: [{reading: control.latency.electrical, below: 1 ms}]
      """)
    try bench.simulatedRig(changing: ["name: simulated-lra": "name: other"], to: "other.yaml")
    try bench.write(Patterns.tapWithTone, to: "knock.ahap")
    let ending = try run(bench)
    #expect(ending.code == 1, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.verdict == "fail")
    #expect(record.patterns[0]["verdict"] == nil)
    #expect(record.json["control"]?["rig"]?["name"]?.string == "other")
    let played = try #require(record.json["control"]?["patterns"]?.elements?.first)
    let take = try #require(played["takes"]?.elements?.first)
    for side in ["drive", "response"] {
      let file = try #require(take[side]?["file"]?.string)
      #expect(file.hasPrefix("control-knock-1-"))
      #expect(FileManager.default.fileExists(atPath: record.folder.appending(path: file).path()))
    }
    #expect(try record.reading("control.latency.electrical")["verdict"]?.string == "fail")
    #expect(try record.reading("latency.electrical")["verdict"] == nil)
    #expect(ending.output.contains("control: electrical delay"))
  }

  @Test func `a control's rig that is not there is refused before anything plays`() throws {
    let bench = try bench("control: {rig: nowhere.yaml}\n")
    let ending = try run(bench)
    expectRefusal(ending, saying: "'control' is of the rig 'nowhere.yaml', and there", in: bench)
    #expect(ending.errors.contains("control: {rig: nowhere.yaml}\n"), "\(ending.errors)")
    #expect(ending.errors.contains(#/plan\.yaml:\d+:16: /#), "\(ending.errors)")
  }

  @Test func `a plan chooses among actuators, and the command line before it`() throws {
    let two = """
      actuators:
        - {id: left, model: coinZ-170, channel: 1, limits: {continuous: 2.5 Vrms, peak: 3.6 V}}
        - {id: right, model: coinZ-170, channel: 4, limits: {continuous: 2.5 Vrms, peak: 3.6 V}}
      simulation:
      """
    let bench = try bench("actuator: right\n")
    let path = bench.file("rig.yaml")
    let rig = try String(contentsOf: path, encoding: .utf8)
    let from = try #require(rig.range(of: "actuator:\n"))
    let until = try #require(rig.range(of: "simulation:\n"))
    try bench.write(
      rig.replacingCharacters(in: from.lowerBound..<until.upperBound, with: two + "\n"),
      to: "rig.yaml")
    #expect(try run(bench).code == 0)
    #expect(try bench.record().json["actuator"]?["id"]?.string == "right")
    let ending = try bench.haprig(
      "run", "plan.yaml", "--rig", "rig.yaml", "--archive", "other", "--actuator", "left", "--quiet"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try bench.record(in: "other").json["actuator"]?["id"]?.string == "left")
    let open = try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--archive", "none", "--quiet")
    #expect(open.code == 2)
    expectSentence(open, saying: ["the rig has 2 actuators: name one with --actuator"])
  }

  @Test func `a plan names its profile, and the command line can leave it out`() throws {
    let bench = try bench("profile: {sim-coin-1: profiles/p.json}\n")
    expectRefusal(try run(bench), saying: "profiles/p.json", in: bench)
    let ending = try run(bench, "--profiles", "none")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try bench.record().json["run"]?["calibration"]?.string == "uncalibrated")
  }

  @Test func `an order that is drawn is the same again, and another with another seed`() throws {
    let bench = try bench("order: shuffled\nrepeats: 4\nseed: 3\n")
    try bench.write(Patterns.transient(at: 0.1), to: "tap2.ahap")
    func order(_ seed: Int, _ out: String) throws -> [Int] {
      try bench.write(
        "name: asked\npatterns: [tap.ahap, tap2.ahap]\norder: shuffled\nrepeats: 4\nseed: \(seed)\n",
        to: "plan.yaml")
      let ending = try bench.haprig(
        "run", "plan.yaml", "--rig", "rig.yaml", "--archive", out, "--quiet")
      #expect(ending.code == 0, "\(ending.errors)")
      return try bench.record(in: out).takes.compactMap { $0["place"]?.integer }
    }
    let first = try order(3, "first")
    #expect(first.count == 8)
    #expect(try order(3, "again") == first)
    #expect(try order(4, "other") != first)
  }

  @Test func `an interrupted plan leaves a record and its signal's exit code`() throws {
    let bench = try bench(
      "repeats: 9\nrestarts: 8\ncontrol: {loop: true, every: 1}\n",
      changing: ["clock: virtual": "clock: real"])
    let program = try bench.start(
      haprig: ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"])
    for _ in 0..<12_000 where !program.errorsSoFar.contains("measured tap, take 1") {
      usleep(5_000)
    }
    program.send(SIGTERM)
    let ending = try program.end()
    #expect(ending.code == 143, "\(ending.errors)")
    #expect(try bench.record().status == "interrupted")
  }
}
