// SPDX-License-Identifier: Apache-2.0

import Glibc
import ScratchFolder
import Testing

@testable import Workbench

struct AttackTests {
  /// A server whose archive has one run, links out of it, a pipe, and a link to a run elsewhere.
  private static func fixture() throws -> ServerFixture {
    let fixture = try ServerFixture()
    let folder = fixture.folder
    try folder.write("secret", to: "secret.txt")
    _ = try folder.folder("elsewhere")
    try folder.write("{}", to: "elsewhere/record.json")
    try folder.write("secret", to: "elsewhere/secret.txt")
    _ = try folder.folder("reports/good")
    _ = try folder.folder("reports/good/inputs")
    try folder.write("{}", to: "reports/good/record.json")
    try folder.write("plain", to: "reports/good/inputs/rig.yaml")
    try folder.write("hidden", to: "reports/good/.hidden")
    symlink(folder.file("secret.txt"), folder.file("reports/good/link.txt"))
    symlink(folder.path, folder.file("reports/good/inputs/away"))
    symlink(folder.file("elsewhere"), folder.file("reports/linked"))
    mkfifo(folder.file("reports/good/pipe"), 0o644)
    return fixture
  }

  @Test func `every attack has its exact answer, and the server answers right afterwards`() throws {
    let fixture = try Self.fixture()
    var requests = 0
    // A limit on wrong keys would answer for the session; none of these sends a key to it.
    for _ in 0..<4 {
      for attack in Attack.all {
        let answer = RawClient.ask(fixture.port, attack.text(fixture.port, fixture.server.key))
        #expect(answer.status == attack.status, "\(attack): \(answer.text)")
        #expect(!answer.text.contains("secret"), "\(attack)")
        #expect(!answer.text.contains(fixture.server.key), "\(attack)")
        #expect(answer.fields["x-content-type-options"] == "nosniff", "\(attack)")
        #expect(answer.fields["access-control-allow-origin"] == nil, "\(attack)")
        #expect(answer.fields["content-security-policy"] != nil, "\(attack)")
        let next = fixture.get("/api/v1/live")
        #expect(next.status == 200 && next.text == "{\"live\":[]}\n", "after \(attack)")
        requests += 2
      }
    }
    #expect(requests >= 1000)
  }

  @Test func `what is asked rightly is answered`() throws {
    let fixture = try Self.fixture()
    #expect(fixture.get("/").status == 200)
    #expect(fixture.get("/").fields["x-frame-options"] == "DENY")
    #expect(fixture.get("/index.html").text == fixture.get("/assets/index.html").text)
    #expect(fixture.get("/api/v1/runs/good").text == "{}")
    let file = fixture.get("/api/v1/runs/good/files/inputs/rig.yaml")
    #expect(file.text == "plain")
    #expect(file.fields["content-security-policy"]?.contains("sandbox") == true)
    let names = fixture.get("/api/v1/runs/good/files").text
    #expect(names.contains("inputs/rig.yaml") && !names.contains("link.txt"))
    let head = RawClient.ask(fixture.port, fixture.head("HEAD /api/v1/live"))
    #expect(head.status == 200 && head.body.isEmpty && head.fields["content-length"] == "12")
    let localhost = RawClient.ask(
      fixture.port, "GET / HTTP/1.1\r\nHost: localhost:\(fixture.port)\r\n\r\n")
    #expect(localhost.status == 200)
    let chunked = RawClient.ask(
      fixture.port,
      fixture.head(
        "POST /api/v1/session", "Content-Type: application/json", "Transfer-Encoding: chunked")
        + "2\r\n{\"\r\n4b\r\nkey\": \"\(fixture.server.key)\"  }\r\n0\r\n\r\n")
    #expect(chunked.status == 204)
  }

  @Test func `a methods' refusal names the methods that a path has`() throws {
    let fixture = try ServerFixture()
    let answer = RawClient.ask(fixture.port, fixture.head("POST /api/v1/live"))
    #expect(answer.fields["allow"] == "GET, HEAD")
    let session = RawClient.ask(fixture.port, fixture.head("PUT /api/v1/session"))
    #expect(session.fields["allow"] == "POST, GET, HEAD")
  }

  @Test func `the connection after the last is refused, and a place is free again`() throws {
    let fixture = try ServerFixture()
    var held = (0..<Places.connections).compactMap { _ in RawClient(port: fixture.port) }
    for client in held { client.send("GET / HTTP/1.1\r\n") }
    #expect(held.count == 64)
    let refused = RawClient.ask(fixture.port, fixture.head("GET /api/v1/live"))
    #expect(refused.status == 503)
    #expect(refused.fields["retry-after"] == "1")
    held.removeAll()
    var status = 0
    for _ in 0..<1000 where status != 200 {
      status = fixture.get("/api/v1/live").status
      if status != 200 { usleep(10_000) }
    }
    #expect(status == 200)
  }
}
