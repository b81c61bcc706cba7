// SPDX-License-Identifier: Apache-2.0

/// Requests that are to be refused, each with its exact answer.
struct Attack: Sendable, CustomStringConvertible {
  let name: String
  let status: Int
  /// The request to a port with a key.
  let text: @Sendable (_ port: Int, _ key: String) -> String

  var description: String { name }

  init(
    _ name: String, _ status: Int,
    _ text: @escaping @Sendable (_ port: Int, _ key: String) -> String
  ) {
    self.name = name
    self.status = status
    self.text = text
  }

  /// A request whose lines are given; host and key are as they should be where they are not.
  private static func lines(
    _ name: String, _ status: Int, _ first: String, host: String? = nil, key: Bool = true,
    _ more: [String] = [], body: String = ""
  ) -> Attack {
    Attack(name, status) { port, secret in
      var lines = [first, "Host: \(host ?? "127.0.0.1:\(port)")"]
      if key { lines.append("Authorization: Bearer \(secret)") }
      lines += more.map { $0.replacing("PORT", with: "\(port)").replacing("KEY", with: secret) }
      return (lines + ["", ""]).joined(separator: "\r\n") + body
    }
  }

  private static let live = "GET /api/v1/live HTTP/1.1"
  private static let session = "POST /api/v1/session HTTP/1.1"

  static let all: [Attack] = keys + hosts + origins + heads + bodies + paths + methods

  private static let keys = [
    lines("no key", 401, live, key: false),
    lines(
      "a wrong key", 401, live, key: false,
      ["Authorization: Bearer " + String(repeating: "0", count: 64)]),
    lines("a key that is too short", 401, live, key: false, ["Authorization: Bearer 0"]),
    lines("no bearer's key", 401, live, key: false, ["Authorization: Basic KEY"]),
    lines("the key as a cookie", 401, live, key: false, ["Cookie: haprig-PORT=KEY"]),
    lines("the cookie of another port", 401, live, key: false, ["Cookie: haprig-1=KEY"]),
    lines("the key in the query", 401, "GET /api/v1/live?key=KEY HTTP/1.1", key: false),
    lines(
      "a path of the API that is not there, without a key", 401, "GET /api/v1/x HTTP/1.1",
      key: false),
    lines("the API's root without a key", 401, "GET /api HTTP/1.1", key: false),
    lines("another way to write the API", 401, "GET /%61pi/v1/live HTTP/1.1", key: false),
    lines(
      "a script of the API in a page", 401, "GET /api/v1/bench HTTP/1.1", key: false,
      ["Sec-Fetch-Site: cross-site"]),
  ]

  private static let hosts =
    [
      "evil.example", "evil.example:80", "127.0.0.1.evil.example:80", "localhost.evil.example",
      "localhost.:80", "0.0.0.0:80", "[::]:80", "", "127.0.0.1:80@evil.example", "127.1:80",
      "2130706433:80", "rebind.network:80", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
      "localhost:+80", "localhost:80x", "localhost:80:80", "[::1]evil.example:80", "[::1]:",
      "::1:80",
    ].map { (host: String) in lines("host '\(host)'", 421, live, host: host) }
    + [
      Attack("no host", 421) { _, key in
        "GET /api/v1/live HTTP/1.1\r\nAuthorization: Bearer \(key)\r\n\r\n"
      },
      lines("two hosts", 400, live, ["Host: evil.example"]),
      lines("a page under another name", 421, "GET / HTTP/1.1", host: "evil.example", key: false),
    ]

  private static let origins =
    [
      "http://evil.example", "null", "https://127.0.0.1:PORT", "http://127.0.0.1", "file://",
      "http://127.0.0.1:1", "http://localhost.evil.example:PORT", "HTTP://127.0.0.1:PORT",
      "http://127.0.0.1:PORT/", "http://localhost:PORT", "http://[::1]:PORT",
    ].flatMap { origin in
      [
        lines("a session from \(origin)", 403, session, key: false, ["Origin: \(origin)"]),
        lines(
          "a socket from \(origin)", 403, "GET /api/v1/socket HTTP/1.1",
          ["Upgrade: websocket", "Origin: \(origin)"]),
      ]
    }
    + [
      lines("a session without an origin", 403, session, key: false),
      lines(
        "a method of its own without an origin", 403, "DELETE /api/v1/runs HTTP/1.1", key: false),
      lines(
        "a socket without an origin", 403, "GET /api/v1/socket HTTP/1.1", key: false,
        ["Upgrade: websocket"]),
      lines(
        "two origins", 400, session, key: false,
        ["Origin: http://127.0.0.1:PORT", "Origin: http://evil.example"]),
      lines(
        "a preflight of another site", 403, "OPTIONS /api/v1/jobs HTTP/1.1", key: false,
        ["Origin: http://evil.example"]),
    ]

  private static let heads = [
    lines("65 fields", 431, live, (0..<63).map { "X-\($0): 1" }),
    lines("a field of 17 KiB", 431, live, ["X: " + String(repeating: "a", count: 17 << 10)]),
    lines("a path of 17 KiB", 431, "GET /" + String(repeating: "a", count: 17 << 10) + " HTTP/1.1"),
    lines("a head without an end", 431, live, ["X: " + String(repeating: "a", count: 1 << 20)]),
    lines("no version", 400, "GET /api/v1/live"),
    lines("HTTP/1.0", 505, "GET /api/v1/live HTTP/1.0"),
    lines("HTTP/2.0", 505, "GET /api/v1/live HTTP/2.0"),
    lines("a version that is none", 400, "GET /api/v1/live HTTP/x"),
    lines("four words", 400, "GET /api/v1/live a HTTP/1.1"),
    lines("a tab between words", 400, "GET\t/api/v1/live\tHTTP/1.1"),
    lines("another site as the target", 400, "GET http://evil.example/ HTTP/1.1"),
    lines("a target for a tunnel", 400, "CONNECT evil.example:443 HTTP/1.1"),
    lines("a method in small letters", 400, "get /api/v1/live HTTP/1.1"),
    lines("a method that is long", 400, String(repeating: "G", count: 17) + " / HTTP/1.1"),
    lines("bytes beyond ASCII in the target", 400, "GET /\u{E4} HTTP/1.1"),
    lines("a folded field", 400, live, ["X: a", " b"]),
    lines("a blank before the colon", 400, live, ["X : a"]),
    lines("a field without a name", 400, live, [": a"]),
    lines("a field without a colon", 400, live, ["X"]),
    lines("a zero byte in a field", 400, live, ["X: a\0b"]),
    lines("a bell in a field", 400, live, ["X: a\u{7}b"]),
    Attack("lines that end in line feeds", 400) { port, key in
      "GET /api/v1/live HTTP/1.1\nHost: 127.0.0.1:\(port)\nAuthorization: Bearer \(key)\n\r\n\r\n"
    },
    Attack("a carriage return alone", 400) { port, _ in
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\rX: a\r\n\r\n"
    },
    Attack("an empty line first", 400) { port, _ in "\r\n\r\nGET / HTTP/1.1\r\n\r\n" },
    Attack("a handshake of TLS", 400) { _, _ in "\u{16}\u{3}\u{1}\u{0}\r\n\r\n" },
    Attack("the preface of HTTP/2", 505) { _, _ in "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
  ]

  private static let json = ["Content-Type: application/json"]

  private static let bodies = [
    lines("a body of 64 KiB and one byte", 413, session, json + ["Content-Length: 65537"]),
    lines(
      "a body of a number beyond all", 413, session,
      json + ["Content-Length: 99999999999999999999999"]),
    lines(
      "a body announced, before the host is looked at", 413, session, host: "evil.example",
      ["Content-Length: 65537"]),
    lines("a negative length", 400, session, ["Content-Length: -1"]),
    lines("a length with a sign", 400, session, ["Content-Length: +1"]),
    lines("a length in two numbers", 400, session, ["Content-Length: 1, 1"]),
    lines("an empty length", 400, session, ["Content-Length: "]),
    lines("two lengths", 400, session, ["Content-Length: 1", "Content-Length: 2"]),
    lines(
      "a length and chunks", 400, session, ["Content-Length: 1", "Transfer-Encoding: chunked"],
      body: "0\r\n\r\n"),
    lines(
      "two codings", 400, session, ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]),
    lines("a coding that nobody knows", 501, session, ["Transfer-Encoding: gzip, chunked"]),
    lines(
      "chunks of more than 64 KiB together", 413, session, json + ["Transfer-Encoding: chunked"],
      body: String(repeating: "4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n", count: 4)
        + "1\r\na\r\n0\r\n\r\n"),
    lines(
      "one chunk of four gigabytes", 413, session, ["Transfer-Encoding: chunked"],
      body: "ffffffff\r\n"),
    lines(
      "a chunk's size of nine digits", 400, session, ["Transfer-Encoding: chunked"],
      body: "000000001\r\na\r\n0\r\n\r\n"),
    lines(
      "a chunk's size with a sign", 400, session, ["Transfer-Encoding: chunked"],
      body: "-1\r\na\r\n0\r\n\r\n"),
    lines(
      "a chunk's size that is none", 400, session, ["Transfer-Encoding: chunked"], body: "x\r\n\r\n"
    ),
    lines(
      "a chunk with an extension", 400, session, ["Transfer-Encoding: chunked"],
      body: "1;a=b\r\na\r\n0\r\n\r\n"),
    lines(
      "a chunk that is longer than it says", 400, session, ["Transfer-Encoding: chunked"],
      body: "1\r\nab\r\n0\r\n\r\n"),
    lines(
      "fields after the chunks", 400, session, ["Transfer-Encoding: chunked"],
      body: "0\r\nHost: evil.example\r\n\r\n"),
    lines("a body that is no JSON", 400, session, json + ["Content-Length: 3"], body: "abc"),
    lines("JSON that is no object", 400, session, json + ["Content-Length: 2"], body: "[]"),
    lines("JSON without the key", 400, session, json + ["Content-Length: 2"], body: "{}"),
    lines(
      "JSON of 60,000 brackets", 400, session, json + ["Content-Length: 60000"],
      body: String(repeating: "[", count: 60_000)),
    lines(
      "a form", 415, session,
      ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 5"], body: "key=a"),
    lines(
      "JSON that calls itself text", 415, session,
      ["Content-Type: text/plain", "Content-Length: 2"], body: "{}"),
  ]

  private static let paths =
    [
      "/../etc/passwd", "/%2e%2e/etc/passwd", "/%2E%2E%2Fetc/passwd", "/assets/../../etc/passwd",
      "/assets/%2e%2e/%2e%2e/etc/passwd", "/a%00.html", "/a%2fb", "/a%5cb", "/a%0d%0aX:1", "/%",
      "/%4", "/%zz", "/%c3%28", "/./index.html", "/api/v1/runs/%2e%2e", "/api/v1/runs/..%2f..",
      "/api/v1/runs/a%00b", "/api/v1/runs/.hidden", "/api/v1/runs/a%20b", "/api/v1/runs/a:b",
      "/api/v1/runs/" + String(repeating: "a", count: 201), "/api/v1/runs/good/files/../x",
      "/api/v1/runs/good/files/%2e%2e/%2e%2e/secret.txt",
      "/api/v1/runs/good/files/inputs/..%2f..%2fsecret.txt",
    ].map { lines("GET \($0.prefix(60))", 400, "GET \($0) HTTP/1.1") }
    + [
      "/nothing.html", "/assets/nothing.js", "//etc/passwd", "/assets//etc/passwd", "/.git/config",
      "/assets/.hidden", "/api/v1/nothing", "/api/v2/live", "/api/v1/live/", "/api/v1/runs/unknown",
      "/api/v1/runs/good/files/none", "/api/v1/runs/good/files/.hidden",
      "/api/v1/runs/good/files/link.txt", "/api/v1/runs/good/files/inputs/away/secret.txt",
      "/api/v1/runs/good/files/inputs", "/api/v1/runs/good/files/pipe",
      "/api/v1/runs/linked/files/secret.txt", "/api/v1/runs/linked", "/api/v1/runs/good/files//x",
    ].map { lines("GET \($0)", 404, "GET \($0) HTTP/1.1") }

  private static let methods =
    ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST", "PROPFIND"].map {
      lines("\($0) live", 405, "\($0) /api/v1/live HTTP/1.1")
    }
    + [
      lines("DELETE session", 405, "DELETE /api/v1/session HTTP/1.1"),
      lines("GET session without a key", 401, "GET /api/v1/session HTTP/1.1", key: false),
      lines("POST a page", 405, "POST / HTTP/1.1"),
      lines("a limit of nothing", 400, "GET /api/v1/runs?limit=0 HTTP/1.1"),
      lines("a limit of all", 400, "GET /api/v1/runs?limit=1000000 HTTP/1.1"),
      lines("an offset below zero", 400, "GET /api/v1/runs?offset=-1 HTTP/1.1"),
      lines("an order that is SQL", 400, "GET /api/v1/runs?sort=started%3Bdrop HTTP/1.1"),
      lines("a verdict that is SQL", 400, "GET /api/v1/runs?verdict=%27or%201 HTTP/1.1"),
      lines(
        "51 rigs", 400, "GET /api/v1/runs?" + String(repeating: "rig=a&", count: 51) + " HTTP/1.1"),
      lines("a zero byte in the query", 400, "GET /api/v1/runs?text=%00 HTTP/1.1"),
    ]
}
