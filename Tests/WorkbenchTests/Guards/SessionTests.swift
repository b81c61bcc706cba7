// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Workbench

struct SessionTests {
  private static func open(_ fixture: ServerFixture, _ key: String) -> Answer {
    let body = "{\"key\": \"\(key)\"}"
    return RawClient.ask(
      fixture.port,
      """
      POST /api/v1/session HTTP/1.1\r
      Host: localhost:\(fixture.port)\r
      Origin: http://localhost:\(fixture.port)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r

      """ + body)
  }

  private static func live(_ fixture: ServerFixture, _ cookie: String) -> Int {
    RawClient.ask(
      fixture.port,
      "GET /api/v1/live HTTP/1.1\r\nHost: localhost:\(fixture.port)\r\nCookie: a=b; \(cookie)\r\n\r\n"
    ).status
  }

  @Test func `the key opens a session, whose cookie is as it should be`() throws {
    let fixture = try ServerFixture()
    let answer = Self.open(fixture, fixture.server.key)
    #expect(answer.status == 204)
    let field = try #require(answer.fields["set-cookie"])
    #expect(field.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
    #expect(field.hasPrefix("haprig-\(fixture.port)="))
    let cookie = String(field.prefix { $0 != ";" })
    let value = String(cookie.drop { $0 != "=" }.dropFirst())
    #expect(value.utf8.count == 64 && value != fixture.server.key)
    #expect(Self.live(fixture, cookie) == 200)
    #expect(Self.live(fixture, String(cookie.dropLast())) == 401)
    #expect(Self.live(fixture, cookie + "0") == 401)
    // Another workbench, another port: its cookies are none here.
    let other = try ServerFixture()
    #expect(Self.live(other, cookie) == 401)
  }

  @Test func `through a tunnel from another port, the page and its cookie are of that port`() throws
  {
    let fixture = try ServerFixture()
    let body = "{\"key\": \"\(fixture.server.key)\"}"
    func open(_ host: String, from origin: String) -> Answer {
      RawClient.ask(
        fixture.port,
        [
          "POST /api/v1/session HTTP/1.1", "Host: \(host)", "Origin: \(origin)",
          "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "", body,
        ].joined(separator: "\r\n"))
    }
    for host in ["127.0.0.1:9", "localhost:65535", "[::1]:9000", "LocalHost:9", "localhost"] {
      let answer = open(host, from: "http://" + host.lowercased())
      #expect(answer.status == 204, "\(host): \(answer.text)")
      let port = host.split(separator: ":").last.flatMap { Int($0) }.map(String.init) ?? "web"
      let cookie = try #require(answer.fields["set-cookie"]).prefix { $0 != ";" }
      #expect(cookie.hasPrefix("haprig-\(port)="), "\(host)")
      let live = RawClient.ask(
        fixture.port, "GET /api/v1/live HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\n\r\n")
      #expect(live.status == 200, "\(host)")
    }
    // Another port of this machine is another site.
    #expect(open("127.0.0.1:9", from: "http://127.0.0.1:\(fixture.port)").status == 403)
    #expect(open("127.0.0.1:9", from: "http://127.0.0.1").status == 403)
    #expect(open("127.0.0.1", from: "http://127.0.0.1:9").status == 403)
  }

  @Test func `a proxy's name is answered, by its own origins`() throws {
    let fixture = try ServerFixture { $0.hosts = ["Rig.Lab.example"] }
    func status(_ host: String, _ origin: String) -> Int {
      RawClient.ask(
        fixture.port,
        "POST /api/v1/session HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\n"
          + "Content-Length: 0\r\n\r\n"
      ).status
    }
    #expect(status("rig.lab.example", "https://rig.lab.example") == 415)
    #expect(status("rig.lab.example", "http://rig.lab.example") == 415)
    #expect(status("rig.lab.example", "https://evil.example") == 403)
    #expect(status("rig.lab.example:1", "https://rig.lab.example") == 421)
  }

  @Test func `ten wrong keys a minute, then none at all`() throws {
    let fixture = try ServerFixture()
    let wrong = String(repeating: "f", count: 64)
    for _ in 0..<10 { #expect(Self.open(fixture, wrong).status == 401) }
    let answer = Self.open(fixture, wrong)
    #expect(answer.status == 429 && answer.fields["retry-after"] == "60")
    #expect(Self.open(fixture, fixture.server.key).status == 429)
    #expect(fixture.get("/api/v1/live").status == 200)
  }

  @Test func `wrong keys are forgotten after a minute`() throws {
    let keys = Keys()
    for second in 0..<10 {
      #expect(throws: HTTPFault.self) { try keys.cookie(for: "no", now: Double(second)) }
    }
    #expect(throws: HTTPFault.self) { try keys.cookie(for: keys.key.text, now: 59.9) }
    #expect(try keys.cookie(for: keys.key.text, now: 60).utf8.count == 64)
  }

  @Test func `secrets have 256 bits and no two are one`() {
    let secrets = Set((0..<1000).map { _ in Secret().text })
    #expect(secrets.count == 1000 && secrets.allSatisfy { $0.utf8.count == 64 })
    let secret = Secret()
    #expect(secret.equals(secret.text) && !secret.equals("") && !secret.equals(secret.text + "0"))
  }
}
