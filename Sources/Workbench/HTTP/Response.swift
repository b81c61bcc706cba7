// SPDX-License-Identifier: Apache-2.0

private import Glibc
package import JSONText

/// An answer, before the fields that every answer has.
package struct Response: Sendable {
  var status: Int
  var type: String
  var body: Body
  var fields: [HTTPField] = []
  var framing = Framing.page

  enum Body: Sendable {
    case bytes([UInt8])
    case file(OpenedFile)
    /// What goes on with the connection once it is a socket.
    case socket(@Sendable (FrameSocket) -> Void)
  }

  /// How a browser is told to hold what it gets.
  enum Framing: Sendable {
    /// Our own page, or data for it.
    case page
    /// A run's report: in a frame of ours, with its own script, and nothing else of ours.
    case report
    /// A file of the archive: whatever it holds, it is no page of ours.
    case file
  }

  init(
    _ status: Int = 200, _ bytes: [UInt8] = [], type: String = "application/json",
    framing: Framing = .page
  ) {
    self.status = status
    self.type = type
    self.framing = framing
    body = .bytes(bytes)
  }

  package init(_ json: JSONValue, status: Int = 200) {
    self.init(status, json.utf8(indent: nil) + [0x0A])
  }

  init(_ fault: HTTPFault) {
    self.init(fault.json, status: fault.status)
    fields = fault.fields
  }

  init(file: OpenedFile, type: String) {
    self.init(200, type: type, framing: .file)
    body = .file(file)
  }

  /// The answer as a file that a browser keeps under a name.
  func kept(as name: String) -> Response {
    let plain = name.map {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_"
    }
    return with("Content-Disposition", "attachment; filename=\"\(String(plain))\"")
  }

  func with(_ name: String, _ value: String) -> Response {
    var response = self
    response.fields.append(HTTPField(name, value))
    return response
  }

  /// The head of the answer as it goes out.
  var head: [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(Self.phrases[status] ?? "Status")"]
    var all = fields
    switch body {
    case .socket: break
    case .bytes(let bytes):
      if !bytes.isEmpty { all.append(HTTPField("Content-Type", type)) }
      if status != 204 { all.append(HTTPField("Content-Length", "\(bytes.count)")) }
      all.append(HTTPField("Connection", "close"))
    case .file(let file):
      all.append(HTTPField("Content-Type", type))
      all.append(HTTPField("Content-Length", "\(file.size)"))
      all.append(HTTPField("Connection", "close"))
    }
    lines += (all + Self.guards(framing)).map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  private static func guards(_ framing: Framing) -> [HTTPField] {
    let policy =
      switch framing {
      case .page:
        "default-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; "
          + "object-src 'none'"
      case .report:
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
          + "img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; "
          + "sandbox allow-scripts"
      case .file: "default-src 'none'; frame-ancestors 'none'; sandbox"
      }
    return [
      HTTPField("Content-Security-Policy", policy), HTTPField("X-Content-Type-Options", "nosniff"),
      HTTPField("Referrer-Policy", "no-referrer"),
      HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
      HTTPField("Cross-Origin-Opener-Policy", "same-origin"),
      HTTPField("Cache-Control", "no-store"),
      HTTPField("X-Frame-Options", framing == .report ? "SAMEORIGIN" : "DENY"),
    ]
  }

  private static let phrases = [
    101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
    400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 409: "Conflict", 413: "Content Too Large",
    415: "Unsupported Media Type", 421: "Misdirected Request", 422: "Unprocessable Content",
    426: "Upgrade Required",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}

/// A file that is open for reading; it is closed with the last reference.
final class OpenedFile: Sendable {
  let descriptor: Int32
  let size: Int

  init(descriptor: Int32, size: Int) {
    self.descriptor = descriptor
    self.size = size
  }

  deinit { close(descriptor) }

  /// The bytes of a part, fewer where the file has become shorter.
  func bytes(from offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let base = buffer.baseAddress {
        let got = pread(descriptor, base + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
      }
    }
  }
}
