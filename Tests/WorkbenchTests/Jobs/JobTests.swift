// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import ScratchFolder
import Testing

@testable import Workbench

/// Jobs whose program is a script: what is started, with what, and what becomes of it.
struct JobTests {
  static let rigs =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/rigs"

  static func fixture(_ script: String, jobs: String? = nil) throws -> ServerFixture {
    let folder = try ScratchFolder()
    let program = try folder.write("#!/bin/sh\n\(script)\n", to: "program")
    chmod(program, 0o755)
    let own = try folder.folder("jobs")
    // A name of its own: whoever else has a simulated rig is no concern of these.
    let text = try #require(ScratchFolder.text(rigs + "/simulated-lra.yaml"))
    let rig = try folder.write(
      text.replacing("name: simulated-lra", with: "name: workbench-rig"), to: "rig.yaml")
    return try ServerFixture(holding: folder) { options in
      options.rigs = [rig]
      options.plans = rigs + "/plans"
      options.program = program
      options.jobs = jobs ?? own
    }
  }

  static func json(_ answer: Answer) throws -> JSONValue { try JSONValue(parsing: answer.body) }

  /// Looks at a job until it is so; the runner's own limit ends what never is.
  static func wait(
    for id: String, on fixture: ServerFixture, until isSo: (JSONValue) -> Bool
  ) throws -> JSONValue {
    for _ in 0..<3000 {
      let job = try json(fixture.get("/api/v1/jobs/\(id)"))
      if isSo(job) { return job }
      usleep(10_000)
    }
    return .null
  }

  static let order = """
    {"kind": "run", "rig": "workbench-rig", "plan": "smoke", "repeats": 2}
    """

  @Test func `a job is what a person would type, and its output is told`() throws {
    let fixture = try Self.fixture(
      "for word in \"$@\"; do echo \"<$word>\"; done; echo 'report: /a/20260101-x/report.html'")
    let answer = fixture.post("/api/v1/jobs", Self.order)
    #expect(answer.status == 202)
    let id = try #require(try Self.json(answer)["id"]?.string)
    let job = try Self.wait(for: id, on: fixture) { $0["state"]?.string != "running" }
    #expect(job["state"]?.string == "done" && job["status"]?.integer == 0)
    #expect(job["run"]?.string == "20260101-x")
    let wanted = [
      "run", Self.rigs + "/plans/smoke.yaml", "--rig", fixture.folder.file("rig.yaml"),
      "--quiet", "--archive", fixture.archive, "--repeats", "2",
    ]
    #expect(job["arguments"]?.elements?.compactMap(\.string) == wanted)
    #expect(job["said"]?.string?.hasPrefix(wanted.map { "<\($0)>\n" }.joined()) == true)
  }

  @Test func `a job is stopped as Ctrl-C stops it`() throws {
    let fixture = try Self.fixture("exec sleep 1000")
    let id = try #require(
      try Self.json(fixture.post("/api/v1/jobs", Self.order))["id"]?.string)
    _ = try Self.wait(for: id, on: fixture) { $0["state"]?.string == "running" }
    #expect(fixture.post("/api/v1/jobs/\(id)/stop", "{}").status == 202)
    let job = try Self.wait(for: id, on: fixture) { $0["state"]?.string != "running" }
    #expect(job["state"]?.string == "stopped" && job["status"]?.integer == 130)
  }

  @Test func `a job goes on without its workbench, and the next one finds and stops it`() throws {
    let folder = try ScratchFolder()
    var first: ServerFixture? = try Self.fixture("exec sleep 1000", jobs: folder.path)
    let port = try #require(first?.port)
    let started = try #require(first?.post("/api/v1/jobs", Self.order))
    let id = try #require(try Self.json(started)["id"]?.string)
    // What the child inherited is neither the port nor a connection.
    let process = try #require(try Self.json(started)["process"]?.integer)
    var inherited: [String] = []
    // The shell has its script open until it has become the program.
    for _ in 0..<1000 where inherited != ["0", "1", "2"] {
      inherited = ScratchFolder.names(in: "/proc/\(process)/fd")
      usleep(5000)
    }
    #expect(inherited == ["0", "1", "2"])
    first?.server.stop()
    first = nil
    let second = try Self.fixture("exit 1", jobs: folder.path)
    #expect(second.port != 0 && port != 0)
    let job = try Self.json(second.get("/api/v1/jobs/\(id)"))
    #expect(job["state"]?.string == "running")
    #expect(second.post("/api/v1/jobs/\(id)/stop", "{}").status == 202)
    let ended = try Self.wait(for: id, on: second) { $0["state"]?.string != "running" }
    #expect(ended["state"]?.string == "stopped")
  }

  @Test func `a verification's findings are those of the last job of it`() throws {
    let fixture = try Self.fixture("echo '{\"sound\": true}'")
    let id = try #require(try Self.json(fixture.get("/api/v1/verify"))["job"]?.string)
    _ = try Self.wait(for: id, on: fixture) { $0["state"]?.string == "done" }
    #expect(try Self.json(fixture.get("/api/v1/verify"))["sound"]?.bool == true)
  }

  @Test(arguments: [
    ("{\"kind\": \"verify\", \"run\": {}}", 400),
    ("{\"kind\": \"verify\", \"patterns\": [1]}", 400),
    ("{\"kind\": \"check\", \"rig\": \"\"}", 400),
    ("{}", 400), ("{\"kind\": \"shell\"}", 400), ("{\"kind\": \"run\"}", 404),
    ("{\"kind\": \"run\", \"rig\": \"../../etc\"}", 404),
    ("{\"kind\": \"run\", \"rig\": \"workbench-rig\"}", 400),
    ("{\"kind\": \"run\", \"rig\": \"workbench-rig\", \"plan\": \"/etc/passwd\"}", 404),
    ("{\"kind\": \"run\", \"rig\": \"workbench-rig\", \"patterns\": [\"--help\"]}", 404),
    ("{\"kind\": \"run\", \"rig\": \"workbench-rig\", \"patterns\": []}", 400),
    ("{\"kind\": \"run\", \"rig\": \"workbench-rig\", \"plan\": \"smoke\", \"repeats\": 0}", 400),
    (
      "{\"kind\": \"run\", \"rig\": \"workbench-rig\", \"plan\": \"smoke\", \"repeats\": \"1\"}",
      400
    ),
    ("{\"kind\": \"check\", \"rig\": \"workbench-rig\", \"actuator\": \"../x\"}", 400),
    ("{\"kind\": \"check\", \"rig\": \"workbench-rig\", \"arguments\": [\"x\"]}", 400),
    ("{\"kind\": \"score\", \"run\": \"..\"}", 404), ("{\"kind\": \"score\"}", 404),
  ])
  func `an order that is none starts nothing`(_ order: String, _ status: Int) throws {
    let fixture = try Self.fixture("exit 0")
    #expect(fixture.post("/api/v1/jobs", order).status == status)
    #expect(fixture.get("/api/v1/jobs").text == "{\"jobs\":[]}\n")
  }
}
