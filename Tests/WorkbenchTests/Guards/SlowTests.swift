// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import Workbench

/// What comes slowly, on a clock that is only told.
struct SlowTests {
  private static let keys = Keys()
  private static let router = Router(
    routes: [
      Route(.get, "/") { _ in Response(["fine": true]) },
      Route(.post, "/api/v1/echo") { Response(200, $0.body) },
    ], keys: keys, hosts: Hosts(names: []))

  private static func served(_ stream: ScriptedStream) -> ScriptedStream {
    Connection(stream: stream, router: router, places: Places(1)).serve()
    return stream
  }

  private static var post: String {
    "POST /api/v1/echo HTTP/1.1\r\nHost: localhost:80\r\nAuthorization: Bearer \(keys.key.text)\r\n"
  }

  @Test func `a head that takes longer than 5 s is refused at 5 s, however it trickles`() {
    let text = Array("GET / HTTP/1.1\r\nHost: localhost:80\r\n\r\n")
    for step in [0.2, 1.0, 4.9] {
      let pieces = text.enumerated().map { (at: Double($0) * step, text: String($1)) }
      let stream = Self.served(ScriptedStream(pieces))
      #expect(stream.status == 408)
      #expect(stream.now == 5)
    }
    let quick = text.enumerated().map { (at: Double($0) * 0.1, text: String($1)) }
    #expect(Self.served(ScriptedStream(quick)).status == 200)
  }

  @Test func `who says nothing at all is left without a word`() {
    let stream = Self.served(ScriptedStream([]))
    #expect(stream.written.isEmpty && stream.now == 5)
  }

  @Test func `a body has 10 s after its head`() {
    let head = Self.post + "Content-Length: 4\r\n\r\n"
    let slow = Self.served(ScriptedStream([(4, head), (8, "ab"), (14.1, "cd")]))
    #expect(slow.status == 408 && slow.now == 14)
    let fast = Self.served(ScriptedStream([(4, head), (8, "ab"), (13.9, "cd")]))
    #expect(fast.status == 200 && fast.text.hasSuffix("\r\n\r\nabcd"))
  }

  @Test func `chunks have the same 10 s together`() {
    let head = Self.post + "Transfer-Encoding: chunked\r\n\r\n"
    let pieces = (0..<40).map { (at: Double($0), text: "1\r\na\r\n") }
    let slow = Self.served(ScriptedStream([(0, head)] + pieces))
    #expect(slow.status == 408 && slow.now == 10)
    let fast = Self.served(ScriptedStream([(0, head), (9, "1\r\na\r\n0\r"), (9.9, "\n\r\n")]))
    #expect(fast.status == 200 && fast.text.hasSuffix("\r\n\r\na"))
  }

  @Test func `a head or a body that ends early is refused`() {
    #expect(Self.served(ScriptedStream([(0, "GET / HT")], leaves: true)).status == 400)
    let head = Self.post + "Content-Length: 4\r\n\r\nab"
    #expect(Self.served(ScriptedStream([(0, head)], leaves: true)).status == 400)
  }

  @Test func `a body of exactly 64 KiB is taken`() {
    let body = String(repeating: "a", count: 64 << 10)
    let stream = Self.served(
      ScriptedStream([(0, Self.post + "Content-Length: 65536\r\n\r\n" + body)]))
    #expect(stream.status == 200 && stream.text.hasSuffix(body))
  }

  @Test func `who waits for a word before the body gets it`() {
    let head = Self.post + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    let stream = Self.served(ScriptedStream([(0, head), (1, "ab")]))
    #expect(stream.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
  }
}
