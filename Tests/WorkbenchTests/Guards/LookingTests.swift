// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import Workbench

/// What the second key allows: to look.
struct LookingTests {
  private static func ask(_ fixture: ServerFixture, _ line: String, _ body: String = "") -> Answer {
    RawClient.ask(
      fixture.port,
      [
        line + " HTTP/1.1", "Host: 127.0.0.1:\(fixture.port)",
        "Authorization: Bearer \(fixture.server.lookingKey)", "Content-Type: application/json",
        "Content-Length: \(body.utf8.count)", "", body,
      ].joined(separator: "\r\n"))
  }

  @Test func `every route that changes or starts something is refused, and no other`() throws {
    let fixture = try ServerFixture()
    #expect(fixture.server.lookingKey != fixture.server.key)
    var refused: [String] = []
    for route in fixture.server.routes {
      let path = route.pattern.replacing("{id}", with: "a").replacing("{name}", with: "b")
        .replacing("{name*}", with: "c").replacing("{page}", with: "d.html")
        .replacing("{path*}", with: "e")
      let answer = Self.ask(fixture, "\(route.method.rawValue) \(path)")
      let isRefused = answer.status == 403 && answer.text.contains("\"looking\"")
      if isRefused { refused.append("\(route.method.rawValue) \(route.pattern)") }
      let acts = route.method != .get && !route.isOpen
      #expect(isRefused || !acts, "\(route.method.rawValue) \(path): \(answer.text)")
    }
    #expect(refused.filter { $0.hasPrefix("GET") } == ["GET /api/v1/verify"])
    #expect(refused.contains("PUT /api/v1/sounds/{name}"))
    #expect(refused.contains("POST /api/v1/history/accept"))
    let sentence = Self.ask(fixture, "POST /api/v1/jobs", "{}").text
    #expect(sentence.contains("this key is for looking only"), "\(sentence)")
    #expect(Self.ask(fixture, "GET /api/v1/session").text == "{\"access\":\"look\"}\n")
    #expect(fixture.get("/api/v1/session").text == "{\"access\":\"all\"}\n")
    // What is not there is told as it is to everybody.
    #expect(Self.ask(fixture, "GET /api/v1/nothing").status == 404)
    #expect(Self.ask(fixture, "POST /api/v1/live").status == 405)
  }

  @Test func `a cookie allows what its key does`() throws {
    let fixture = try ServerFixture()
    for (key, status) in [(fixture.server.lookingKey, 403), (fixture.server.key, 400)] {
      let body = "{\"key\": \"\(key)\"}"
      func ask(_ path: String, _ body: String, _ more: String = "") -> Answer {
        RawClient.ask(
          fixture.port,
          "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(fixture.port)\r\n"
            + "Origin: http://127.0.0.1:\(fixture.port)\r\nContent-Type: application/json\r\n\(more)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
      let cookie = try #require(ask("/api/v1/session", body).fields["set-cookie"])
        .prefix { $0 != ";" }
      #expect(ask("/api/v1/jobs", "{}", "Cookie: \(cookie)\r\n").status == status)
    }
  }

  @Test func `a page that looks is told of everything, and holds and acts on nothing`() throws {
    let fixture = try ServerFixture()
    let page = try #require(PageSocketTests.Page(fixture, key: fixture.server.lookingKey))
    #expect(page.status == 101)
    page.say("{\"watch\": \"bench\"}")
    #expect(page.text(with: "topic")?["topic"]?.string == "bench")
    page.say("{\"beat\": 7}")
    #expect(page.text(with: "beat")?["beat"]?.integer == 7)
    let messages = [
      "{\"hold\": \"x\"}", "{\"stage\": \"x\", \"do\": \"stop\"}", "{\"hold\": null}",
    ]
    for message in messages {
      page.say(message)
      #expect(page.text(with: "error")?["error"]?["code"]?.string == "looking", "\(message)")
    }
  }
}
