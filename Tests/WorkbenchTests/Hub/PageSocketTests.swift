// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import Testing

@testable import Workbench

/// Sockets as a page opens them, over real connections.
struct PageSocketTests {
  /// A page's end of a socket.
  final class Page {
    private let client: RawClient
    private var buffer: [UInt8] = []
    let status: Int

    init?(_ fixture: ServerFixture, key: String? = nil) {
      guard let client = RawClient(port: fixture.port) else { return nil }
      self.client = client
      client.send(
        fixture.head(
          "GET /api/v1/socket", "Origin: http://127.0.0.1:\(fixture.port)", "Upgrade: websocket",
          "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", key: key))
      while !buffer.suffix(4).elementsEqual([13, 10, 13, 10]) {
        let byte = client.receive(atMost: 1)
        guard !byte.isEmpty else { break }
        buffer += byte
      }
      let answer = Answer(buffer)
      status = answer.status
      if status == 101, answer.fields["sec-websocket-accept"] != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
        return nil
      }
      buffer = []
    }

    func send(_ bytes: [UInt8]) { client.send(bytes) }

    func say(_ text: String) { client.send(FrameTests.frame(0x81, Array(text.utf8))) }

    /// The next frame; `nil` at the end of the connection.
    func next() -> (kind: UInt8, payload: [UInt8])? {
      guard let head = take(2) else { return nil }
      var length = Int(head[1])
      if length == 126 {
        guard let more = take(2) else { return nil }
        length = Int(more[0]) << 8 | Int(more[1])
      } else if length == 127 {
        guard let more = take(8) else { return nil }
        length = more.reduce(0) { $0 << 8 | Int($1) }
      }
      return take(length).map { (head[0], $0) }
    }

    /// The next text with a member of a name.
    func text(with member: String) -> JSONValue? {
      while let frame = next() {
        guard frame.kind == 0x81 else { return nil }
        if let json = try? JSONValue(parsing: frame.payload), json[member] != nil { return json }
      }
      return nil
    }

    /// The code that the server closes with.
    func closeCode() -> Int? {
      while let frame = next() {
        if frame.kind == 0x88 { return Int(frame.payload[0]) << 8 | Int(frame.payload[1]) }
      }
      return nil
    }

    private func take(_ count: Int) -> [UInt8]? {
      while buffer.count < count {
        let more = client.receive()
        guard !more.isEmpty else { return nil }
        buffer += more
      }
      defer { buffer.removeFirst(count) }
      return Array(buffer[..<count])
    }
  }

  @Test func `beats are answered, faults told, and the bench shown once`() throws {
    let fixture = try JobTests.fixture("exit 0")
    let page = try #require(Page(fixture))
    #expect(page.status == 101)
    page.say("{\"beat\": 7}")
    #expect(page.text(with: "beat")?["beat"]?.integer == 7)
    page.say("{\"watch\": \"moon\"}")
    #expect(page.text(with: "error")?["error"]?["code"]?.string == "unknown")
    page.say("no JSON")
    #expect(page.text(with: "error")?["error"]?["code"]?.string == "bad-json")
    page.say("{\"watch\": \"bench\"}")
    let bench = try #require(page.text(with: "topic"))
    #expect(bench["topic"]?.string == "bench")
    #expect(bench["rigs"]?.elements?.first?["name"]?.string == "workbench-rig")
    page.say("{\"watch\": \"live/20200101-000000-1\"}")
    #expect(page.text(with: "state")?["state"]?.string == "dead")
  }

  @Test func `a drive goes on by the beats of the page that holds it, and ends with the page`()
    throws
  {
    let fixture = try JobTests.fixture("exec cat")
    let answer = fixture.post(
      "/api/v1/jobs",
      "{\"kind\": \"play\", \"rig\": \"workbench-rig\", \"patterns\": [\"swell\"]}")
    let id = try #require(try JobTests.json(answer)["id"]?.string)
    #expect(
      try JobTests.json(answer)["arguments"]?.elements?.compactMap(\.string).contains("--held")
        == true)
    var page = Page(fixture)
    page?.say("{\"beat\": 1}")
    _ = page?.text(with: "beat")
    // A page that does not hold it keeps nothing going.
    #expect(try JobTests.json(fixture.get("/api/v1/jobs/\(id)"))["said"]?.string == "")
    page?.say("{\"hold\": \"\(id)\"}")
    for beat in 2..<5 {
      page?.say("{\"beat\": \(beat)}")
      _ = page?.text(with: "beat")
    }
    let job = try JobTests.wait(for: id, on: fixture) { ($0["said"]?.string?.count ?? 0) >= 3 }
    #expect(job["said"]?.string == "..." && job["state"]?.string == "running")
    page = nil
    let ended = try JobTests.wait(for: id, on: fixture) { $0["state"]?.string != "running" }
    #expect(ended["state"]?.string == "done" && ended["said"]?.string == "...")
  }

  @Test func `frames that break the rules close the socket, and the server goes on`() throws {
    let fixture = try ServerFixture()
    let attacks: [(bytes: [UInt8], code: Int)] = [
      (FrameTests.frame(0x81, [97], mask: nil), 1002), (FrameTests.frame(0xC1, [97]), 1002),
      (FrameTests.frame(0x83, []), 1002), (FrameTests.frame(0x82, [1]), 1003),
      (
        FrameTests.frame(0x81, [], length: [127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        1009
      ),
      (FrameTests.frame(0x81, [], length: [127, 0, 0, 0, 1, 0, 0, 0, 0]), 1009),
      (FrameTests.frame(0x81, [], length: [126, 0x10, 0x01]), 1009),
      (FrameTests.frame(0x80, []), 1002), (FrameTests.frame(0x09, []), 1002),
      (FrameTests.frame(0x81, [0xC3, 0x28]), 1007),
      (
        FrameTests.frame(0x01, [])
          + Array(
            (0..<17).map { _ in FrameTests.frame(0, [UInt8](repeating: 97, count: 4096)) }.joined()),
        1009
      ),
      (
        FrameTests.frame(0x01, []) + Array((0..<150).map { _ in FrameTests.frame(0, []) }.joined()),
        1008
      ),
      (FrameTests.frame(0x88, [3, 232]), 1000),
    ]
    for (index, attack) in attacks.enumerated() {
      let page = try #require(Page(fixture))
      page.send(attack.bytes)
      #expect(page.closeCode() == attack.code, "attack \(index)")
      #expect(page.next() == nil, "attack \(index)")
      #expect(fixture.get("/api/v1/live").status == 200)
    }
  }

  @Test func `the socket after the last is refused, and a place is free again`() throws {
    let fixture = try ServerFixture()
    var pages = (0..<Places.sockets).compactMap { _ in Page(fixture) }
    #expect(pages.count == 16 && pages.allSatisfy { $0.status == 101 })
    #expect(Page(fixture)?.status == 503)
    pages.removeAll()
    var status = 0
    for _ in 0..<1000 where status != 101 {
      status = Page(fixture)?.status ?? 0
      if status != 101 { usleep(10_000) }
    }
    #expect(status == 101)
  }

  @Test func `what is no opening of a socket is told so`() throws {
    let fixture = try ServerFixture()
    let plain = fixture.get("/api/v1/socket")
    #expect(plain.status == 426 && plain.fields["upgrade"] == "websocket")
    let short = RawClient.ask(
      fixture.port,
      fixture.head(
        "GET /api/v1/socket", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAA"))
    #expect(short.status == 400)
  }
}
