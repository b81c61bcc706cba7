// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import JSONText
import ScratchFolder
import Testing
import Workflows

@testable import Workbench

/// A fleet without a database to speak of; `.ci/browser/fleet.py` has one.
struct FleetDeskTests {
  /// A fleet whose database is looked for on a socket in the folder.
  private static func file(in folder: ScratchFolder, plans: String = "") -> String {
    """
    name: lab
    archive:
      server: postgres://rig@\(folder.path.replacing("/", with: "%2F"))/lab
      folder: /srv/runs
    master: {passwords: /etc/haprig/fleet}
    machines: {bench-1: {}}
    rigs: {lra-1: {machine: bench-1, file: /rigs/lra-1.yaml, model: coin}}
    plans: {smoke: {do: check, rigs: all\(plans)}}

    """
  }

  private static func fixture() throws -> ServerFixture {
    let folder = try ScratchFolder()
    try folder.write(file(in: folder), to: "fleet.yaml")
    return try ServerFixture(holding: folder) { $0.fleet = folder.file("fleet.yaml") }
  }

  private static func code(_ answer: Answer) throws -> String? {
    try JSONValue(parsing: answer.body)["error"]?["code"]?.string
  }

  @Test func `without a fleet's file a sentence says how to get one, and the bench names none`()
    throws
  {
    let fixture = try ServerFixture()
    for answer in [
      fixture.get("/api/v1/fleet"), fixture.get("/api/v1/fleet/file"),
      fixture.post("/api/v1/fleet/release", #"{"rig": "lra-1"}"#),
    ] {
      #expect(try answer.status == 404 && Self.code(answer) == "no-fleet")
      #expect(answer.text.contains("--fleet FILE"))
    }
    #expect(try JSONValue(parsing: fixture.get("/api/v1/bench").body)["fleet"] == nil)
  }

  @Test func `the file is told as the command tells it, whatever becomes of the database`() throws {
    let fixture = try Self.fixture()
    let answer = fixture.get("/api/v1/fleet/file")
    let file = fixture.folder.file("fleet.yaml")
    #expect(try JSONValue(parsing: answer.body) == FleetOrders.fleet(in: file).json)
    let told = try JSONValue(parsing: fixture.get("/api/v1/bench").body)["fleet"]
    #expect(told?["file"]?.string == file)
    #expect(try told?["by"]?.string == FleetOrders.who(nil))
  }

  @Test func `a file that was changed is read again, and a mistake in it is told with its place`()
    throws
  {
    let fixture = try Self.fixture()
    #expect(fixture.get("/api/v1/fleet/file").status == 200)
    let text = Self.file(in: fixture.folder, plans: ", limit: soon")
    try fixture.folder.write(text, to: "fleet.yaml")
    for path in ["/api/v1/fleet/file", "/api/v1/fleet"] {
      let answer = fixture.get(path)
      #expect(try answer.status == 422 && Self.code(answer) == "file")
      #expect(answer.text.contains("fleet.yaml:8:"), "\(answer.text)")
    }
  }

  @Test func `a database that is not there is told in a sentence, without what opens it`() throws {
    let fixture = try Self.fixture()
    let answer = fixture.get("/api/v1/fleet")
    #expect(try answer.status == 422 && Self.code(answer) == "archive")
    #expect(answer.text.contains("cannot be reached") || answer.text.contains("libpq"))
  }

  @Test(arguments: [
    ("run", "{}"), ("run", #"{"plan": "smoke", "rig": "lra-1", "model": "coin"}"#),
    ("run", #"{"plan": "smoke", "rigs": "lra-1"}"#), ("run", #"{"plan": 1}"#),
    ("cancel", #"{"jobs": []}"#), ("cancel", #"{"jobs": ["a", 1]}"#),
    ("cancel", #"{"jobs": "a"}"#), ("reserve", #"{"rig": "lra-1", "for": "2 h"}"#),
    ("reserve", #"{"rig": "lra-1", "for": "2 h", "why": ""}"#),
    ("reserve", #"{"rig": "lra-1", "for": 2, "why": "x"}"#), ("release", "{}"),
    ("drain", #"{"machine": "bench-1"}"#), ("undrain", #"{"machine": "bench-1", "why": "x"}"#),
  ])
  func `an order that lacks something, or says too much, is refused`(order: String, body: String)
    throws
  {
    let answer = try Self.fixture().post("/api/v1/fleet/\(order)", body)
    #expect(try answer.status == 400 && Self.code(answer) == "bad-value", "\(answer.text)")
  }

  @Test func `who asks is a name that ids can carry`() throws {
    let fixture = try Self.fixture()
    for by in ["a b", "a/b", "ä", String(repeating: "a", count: 65)] {
      let answer = fixture.post("/api/v1/fleet/run", #"{"plan": "smoke", "by": "\#(by)"}"#)
      #expect(try answer.status == 422 && Self.code(answer) == "input")
      #expect(answer.text.contains("who asks has a name"))
    }
  }

  @Test func `a database that says nothing holds no other answer, and is given up on`() throws {
    let fixture = try Self.fixture()
    let socket = try SilentServer(in: fixture.folder.path)
    defer { socket.stop() }
    let answers = Answers()
    for _ in 0..<3 {
      Thread.start { answers.add(fixture.get("/api/v1/fleet")) }
    }
    usleep(300_000)
    let began = MonotonicClock.seconds
    #expect(fixture.get("/api/v1/bench").status == 200)
    #expect(fixture.get("/api/v1/fleet/file").status == 200)
    #expect(MonotonicClock.seconds - began < 2)
    while answers.all.count < 3, MonotonicClock.seconds - began < 20 { usleep(10_000) }
    #expect(MonotonicClock.seconds - began < 8)
    for answer in answers.all {
      #expect(try answer.status == 503 && Self.code(answer) == "silent", "\(answer.text)")
    }
    #expect(answers.all.count == 3)
  }
}

/// A socket where PostgreSQL's would be, that takes connections and says nothing.
private final class SilentServer {
  private let descriptor: Int32

  init(in folder: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(folder)/.s.PGSQL.5432".utf8CString)
    try #require(path.count <= MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      path.withUnsafeBytes { place.copyMemory(from: $0) }
    }
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(code == 0 && listen(descriptor, 8) == 0)
  }

  func stop() { close(descriptor) }
}

/// Answers as they come, on any thread.
private final class Answers: Sendable {
  private let kept = Guarded<[Answer]>([])

  var all: [Answer] { kept.withLock { $0 } }

  func add(_ answer: Answer) { kept.withLock { $0.append(answer) } }
}
