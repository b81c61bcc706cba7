// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A client that sends whatever bytes it is told to, and a parser of what comes back.
final class RawClient {
  private let descriptor: Int32

  init?(port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // A test that waits for an answer that never comes ends here, and fails.
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    if code != 0 { return nil }
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map {
          Glibc.send(descriptor, $0 + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        } ?? 0
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Some bytes, none at the end.
  func receive(atMost count: Int = 65_536) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &bytes, count, 0)
    return Array(bytes.prefix(max(0, got)))
  }

  /// All bytes until the other side ends.
  func rest() -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let more = receive()
      guard !more.isEmpty else { return all }
      all += more
    }
  }

  /// Sends a request and reads the whole answer.
  static func ask(_ port: Int, _ request: String) -> Answer {
    guard let client = RawClient(port: port) else { return Answer([]) }
    client.send(request)
    return Answer(client.rest())
  }
}

/// An answer as its parts.
struct Answer: Sendable {
  let status: Int
  let fields: [String: String]
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  init(_ bytes: [UInt8]) {
    var end = bytes.count
    for place in bytes.indices.dropLast(3)
    where Array(bytes[place..<place + 4]) == [13, 10, 13, 10] {
      end = place
      break
    }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2 else { continue }
      fields[pair[0].lowercased()] = String(pair[1].drop { $0 == " " })
    }
    self.fields = fields
    body = Array(bytes.dropFirst(end + 4))
  }
}
