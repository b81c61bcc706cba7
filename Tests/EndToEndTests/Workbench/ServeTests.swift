// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import SeededRandom
import Testing

/// `haprig serve` as people start it, asked by the system's own client.
struct ServeTests {
  /// A workbench that was started, and the key of its first line.
  private struct Server {
    let bench: Workbench
    let program: Program
    let port: Int
    let key: String

    init(_ bench: Workbench, output: String, _ more: String = "") throws {
      self.bench = bench
      let words = "exec \(Workbench.haprig) serve --rig rig.yaml --plans plans \(more) > \(output)"
      program = try bench.start(["sh", "-c", words])
      var line = ""
      for _ in 0..<3000 {
        line = (try? String(contentsOf: bench.file(output), encoding: .utf8)) ?? ""
        if line.contains("to look only"), line.hasSuffix("\n") { break }
        usleep(10_000)
      }
      let found = try #require(
        line.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#key=([0-9a-f]{64})\n/))
      port = try #require(Int(found.output.1))
      key = String(found.output.2)
    }

    func curl(_ arguments: String...) throws -> JSONValue {
      let ending = try bench.start(
        [
          "curl", "--silent", "--show-error", "--max-time", "60", "-H",
          "Authorization: Bearer \(key)",
        ]
          + arguments.map { $0.replacing("HOST", with: "http://127.0.0.1:\(port)") }
      ).end()
      return try JSONValue(parsing: Array(ending.output.utf8))
    }
  }

  private static func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.taps(seconds: 2), to: "plans/tap.ahap")
    try bench.write(Plans.quick(repeats: 40), to: "plans/quick.yaml")
    return bench
  }

  @Test func `a run goes on when its workbench is killed, and the next one finds it`() throws {
    let bench = try Self.bench()
    let first = try Server(bench, output: "first.txt")
    let shown = try first.curl("HOST/api/v1/bench")
    let rig = try #require(shown["rigs"]?.elements?.first?["name"]?.string)
    #expect(shown["rigs"]?.elements?.first?["state"]?.string == "idle")
    let order = "{\"kind\": \"run\", \"rig\": \"\(rig)\", \"plan\": \"quick\"}"
    let job = try first.curl(
      "-X", "POST", "-H", "Content-Type: application/json", "-d", order, "HOST/api/v1/jobs")
    let id = try #require(job["id"]?.string)
    first.program.send(SIGKILL)
    #expect(try first.program.end(keepsGroup: true).code == 137)

    let second = try Server(bench, output: "second.txt")
    #expect(second.key != first.key)
    var found = try second.curl("HOST/api/v1/jobs/\(id)")
    #expect(found["process"]?.integer == job["process"]?.integer)
    for _ in 0..<3000 where found["state"]?.string == "running" {
      usleep(20_000)
      found = try second.curl("HOST/api/v1/jobs/\(id)")
    }
    let run = try #require(found["run"]?.string, "\(found)")
    let page = try second.curl("HOST/api/v1/runs?rig=\(rig)")
    #expect(page["total"]?.integer == 1)
    #expect(page["runs"]?.elements?.first?["id"]?.string == run)
    #expect(page["runs"]?.elements?.first?["takes"]?.integer == 40)
    let takes = try second.curl("HOST/api/v1/runs/\(run)/takes")
    #expect(takes["takes"]?.elements?.count == 40)
    let diff = try second.curl("HOST/api/v1/compare?run=\(run):tap:1&run=\(run):tap:2")
    #expect(diff["schema"]?.string == "haprig.diff/1", "\(diff)")
    #expect(diff["sides"]?.elements?.map { $0["take"]?.integer } == [1, 2])
    #expect(diff["pairs"]?.elements?.first?["readings"]?.elements?.isEmpty == false)
    let record = try second.curl("HOST/api/v1/runs/\(run)")
    #expect(record["schema"]?.string?.hasPrefix("haprig.run/1") == true)
    second.program.send(SIGINT)
    #expect(try second.program.end().code == 0)
  }

  @Test func `the last check and the last night are shown where they were made`() throws {
    let bench = try Self.bench()
    let sample = Workbench.package.appending(path: "rigs/profiles/sim-coin-1.json")
    try bench.write(Data(contentsOf: sample), to: "calibration/sim-coin-1.json")
    try bench.write(Plans.quick(repeats: 1), to: "plans/quick.yaml")
    let server = try Server(bench, output: "out.txt")
    func rig() throws -> JSONValue {
      try #require(try server.curl("HOST/api/v1/bench")["rigs"]?.elements?.first)
    }
    let before = try rig()
    #expect(before["lastNight"] == nil && before["lastCheck"] == nil)
    #expect(try server.curl("HOST/api/v1/calibrations")["drift"]?.elements == [])

    #expect(try bench.haprig("check", "--rig", "rig.yaml", "--quiet").code == 0)
    let log = String(
      decoding: try bench.bytes("calibration/sim-coin-1.checks.jsonl"), as: UTF8.self)
    #expect(try bench.complaints(of: log, by: "check.schema.json") == "")
    let all = try server.curl("HOST/api/v1/calibrations")
    let check = try #require(all["profiles"]?.elements?.first?["check"])
    #expect(check["drifted"]?.bool == false)
    let sigmas = try #require(check["sigmas"]?.number)
    #expect((0...4).contains(sigmas))
    let drift = try #require(all["drift"]?.elements)
    #expect(
      drift.compactMap { $0["reading"]?.string } == ["f0", "q", "gain", "latency", "noise"])
    #expect(drift.allSatisfy { $0["actuator"]?.string == "sim-coin-1" })
    #expect(
      drift.allSatisfy { $0["drifted"]?.bool == false && ($0["sigmas"]?.number ?? 9) <= sigmas })
    let f0 = try #require(drift[0]["before"]?.number)
    let now = try #require(drift[0]["after"]?.number)
    #expect(abs(f0 - 170) < 0.5 && abs(now - f0) <= 4 * (drift[0]["uncertainty"]?.number ?? 0))
    let row = try rig()
    #expect(row["lastCheck"] == check)
    #expect(row["actuators"]?.elements?.first?["profile"]?["check"] == check)

    // A night, and then a run of the same plan by hand.
    let plan = "plans/quick.yaml"
    #expect(
      try bench.haprig("nightly", "--rig", "rig.yaml", "--plan", plan, "--quiet").code == 0)
    let night = try #require(bench.names(in: "reports").first { $0.hasSuffix("-quick") })
    sleep(1)
    #expect(
      try bench.haprig("run", plan, "--rig", "rig.yaml", "--archive", "reports", "-q").code == 0)
    var last = try rig()
    for _ in 0..<500 where last["lastRun"]?["id"]?.string == night {
      usleep(20_000)
      last = try rig()
    }
    #expect(last["lastNight"]?["id"]?.string == night)
    #expect(last["lastRun"]?["id"]?.string != night)

    // Calibrated anew, it is not checked any more.
    var profile = String(decoding: try bench.bytes("calibration/sim-coin-1.json"), as: UTF8.self)
    let run = try #require(
      try JSONValue(parsing: Array(profile.utf8))["source"]?["run"]?.string)
    profile = profile.replacing("\"run\": \"\(run)\"", with: "\"run\": \"another\"")
    try bench.write(profile, to: "calibration/sim-coin-1.json")
    let renewed = try server.curl("HOST/api/v1/calibrations")
    #expect(
      renewed["profiles"]?.elements?.first?["check"] == nil && renewed["drift"]?.elements == [])
    server.program.send(SIGINT)
    #expect(try server.program.end().code == 0)
  }

  @Test func `a pattern is measured as it is, and what it was measured by stays with the run`()
    throws
  {
    let bench = try Self.bench()
    let text = Patterns.taps(seconds: 1)
    try bench.write(text, to: "patterns/touch/taps.ahap")
    let server = try Server(bench, output: "out.txt")
    let shown = try server.curl("HOST/api/v1/bench")
    let rig = try #require(shown["rigs"]?.elements?.first?["name"]?.string)
    let order = "{\"kind\": \"measure\", \"rig\": \"\(rig)\", \"pattern\": \"touch/taps\"}"
    var job = try server.curl(
      "-X", "POST", "-H", "Content-Type: application/json", "-d", order, "HOST/api/v1/jobs")
    let id = try #require(job["id"]?.string, "\(job)")
    for _ in 0..<3000 where job["run"] == nil {
      usleep(20_000)
      job = try server.curl("HOST/api/v1/jobs/\(id)")
    }
    let run = try #require(job["run"]?.string, "\(job)")
    #expect(try bench.bytes("reports/\(run)/inputs/patterns/taps.ahap") == Data(text.utf8))
    #expect(!bench.names(in: "reports/\(run)").filter { $0 == "report.html" }.isEmpty)
    let list = "HOST/api/v1/patterns/touch%2Ftaps/measurements"
    var found = try server.curl(list)["measurements"]?.elements ?? []
    #expect(found.map { $0["run"]?.string } == [run] && found.first?["textIs"] == "now")
    try bench.write(text + "\n", to: "patterns/touch/taps.ahap")
    found = try server.curl(list)["measurements"]?.elements ?? []
    #expect(found.map { $0["run"]?.string } == [run] && found.first?["textIs"] == "other")
    server.program.send(SIGINT)
    #expect(try server.program.end().code == 0)
  }

  /// Edits by one program after the other until the workbench dies; gives what was answered last.
  private static func edit(
    _ server: Server, _ place: String, from first: Int, killedAfter time: Int
  ) throws -> (version: Int, value: Int) {
    var (version, value) = (
      try #require(try server.curl(place)["version"]?.integer), first
    )
    let program = server.program
    let killer = Thread {
      usleep(UInt32(time))
      program.send(SIGKILL)
    }
    killer.start()
    while true {
      let order = """
        {"base": \(version), "label": "x", "operations": \
        [{"set": 0, "key": "time", "value": \(value + 1)}]}
        """
      let answer = try? server.curl(
        "-X", "POST", "-H", "Content-Type: application/json", "-d", order, "\(place)/edits")
      guard let now = answer?["version"]?.integer else { break }
      (version, value) = (now, value + 1)
      if value % 5 == 0,
        let saved = try? server.curl(
          "-X", "POST", "-H", "Content-Type: application/json", "-d", "{\"base\": \(version)}",
          "\(place)/save")["version"]?.integer
      {
        version = saved
      }
    }
    #expect(try server.program.end(keepsGroup: true).code == 137)
    return (version, value)
  }

  @Test func `what was answered of an edit outlives a killed workbench, and no file is half one`()
    throws
  {
    let bench = try Self.bench()
    var random = SeededRandom(seed: 41)
    print("a killed workbench: \(random)")
    try bench.write(Patterns.taps(seconds: 1), to: "patterns/taps.ahap")
    let place = "HOST/api/v1/patterns/taps"
    var value = 0
    for round in 0..<6 {
      let server = try Server(bench, output: "out-\(round).txt", "--patterns patterns")
      let before = try server.curl(place)
      let time = before["entries"]?.elements?.first?["time"]?.number
      // What was on its way when it died may have been done as well.
      #expect(round == 0 || time == Double(value) || time == Double(value + 1), "\(random)")
      value = Int(time ?? 0)
      let known = value
      (_, value) = try Self.edit(
        server, place, from: known, killedAfter: random.integer(20_000...600_000))
      let file = try JSONValue(parsing: Array(try bench.bytes("patterns/taps.ahap")))
      let saved = try #require(file["Pattern"]?.elements?.first?["Event"]?["Time"]?.number)
      #expect(round == 0 || (saved <= Double(value + 1) && saved >= Double(known - 6)), "\(random)")
    }
    #expect(value > 6, "\(random): \(value) edits")
  }

  @Test func `the keys stand in the first two lines alone`() throws {
    let bench = try Self.bench()
    let server = try Server(bench, output: "out.txt")
    _ = try server.curl("HOST/api/v1/bench")
    server.program.send(SIGTERM)
    let ending = try server.program.end()
    #expect(ending.code == 0 && ending.errors.isEmpty)
    let text = try String(contentsOf: bench.file("out.txt"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[1].wholeMatch(of: /to look only: http:.*#key=[0-9a-f]{64}/) != nil)
    #expect(!lines[1].hasSuffix(server.key))
  }

  @Test(arguments: [
    (["--rig", "none.yaml"], "no such rig file"), (["--plans", "none"], "no such folder"),
    (["--assets", "none"], "no such folder"), (["--listen", "0.0.0.0"], "ssh -L 8017"),
    (["--listen", "192.168.0.1"], "unix:PATH"), (["--port", "0"], "--port takes"),
  ])
  func `what cannot be served is told`(_ arguments: [String], _ sentence: String) throws {
    let bench = try Self.bench()
    let ending = try bench.haprig(["serve", "--rig", "rig.yaml", "--plans", "plans"] + arguments)
    #expect(ending.code == 2)
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
  }

  @Test func `a drive that nobody holds does not begin`() throws {
    let bench = try Self.bench()
    let ending = try bench.haprig(
      "play", "plans/tap.ahap", "--rig", "rig.yaml", "--held", "--quiet")
    // Its input is at its end from the beginning on.
    #expect(ending.code == 129, "\(ending.errors)")
    #expect(!ending.output.contains("played"))
    let wrong = try bench.start([
      "sh", "-c",
      "printf '.x' | \(Workbench.haprig) play plans/tap.ahap --rig rig.yaml --held --quiet",
    ]).end()
    #expect(wrong.code == 129 && !wrong.output.contains("played"))
  }
}
