// SPDX-License-Identifier: Apache-2.0

/// Reads one request from a connection within the limits of size and time.
struct RequestReader {
  private let stream: any ByteStream
  private var buffer: [UInt8] = []

  static let headSeconds = 5.0
  static let bodySeconds = 10.0
  /// How long a body may take that is passed on as it comes, where each of its pieces has `bodySeconds`.
  static let passedSeconds = 600.0
  /// The most bytes of a body, where its route says nothing else.
  static let largestBody = 64 << 10

  init(_ stream: any ByteStream) { self.stream = stream }

  /// What was read beyond the request: the first frames of a socket.
  var rest: [UInt8] { buffer }

  /// Reads a head; `nil` where the other side sent nothing and left.
  mutating func head() throws(HTTPFault) -> RequestHead? {
    let deadline = stream.now + Self.headSeconds
    var searched = 0
    while true {
      if let end = Self.end(of: buffer, from: searched) {
        guard end + 4 <= RequestHead.largest else { throw Self.headTooLarge }
        let head = try RequestHead(buffer[..<end])
        buffer.removeFirst(end + 4)
        return head
      }
      guard buffer.count < RequestHead.largest else { throw Self.headTooLarge }
      searched = max(0, buffer.count - 3)
      switch stream.read(atMost: RequestHead.largest + 1 - buffer.count, until: deadline) {
      case .bytes(let bytes): buffer += bytes
      case .ended:
        guard !buffer.isEmpty else { return nil }
        throw HTTPFault(400, "bad-request", "the request cannot be read: its head ends early")
      case .late:
        guard !buffer.isEmpty else { return nil }
        throw HTTPFault(408, "slow", "a request's head has 5 s to arrive")
      }
    }
  }

  /// Reads the body that a head announces, of at most so many bytes.
  mutating func body(of head: RequestHead, atMost limit: Int) throws(HTTPFault) -> [UInt8] {
    if let length = head.length, length > limit { throw Self.bodyTooLarge(limit) }
    if head.length != 0, head["expect"]?.lowercased() == "100-continue" {
      _ = stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), until: stream.now + 1)
    }
    let deadline = stream.now + Self.bodySeconds
    guard let length = head.length else { return try chunks(atMost: limit, until: deadline) }
    return try take(length, until: deadline)
  }

  /// Passes the body that a head announces on, piece by piece.
  mutating func pass(on head: RequestHead, to reception: any Reception) throws(HTTPFault) {
    guard let length = head.length else {
      throw HTTPFault(411, "length", "this body needs its length: Content-Length")
    }
    if length > reception.limit { throw Self.bodyTooLarge(reception.limit) }
    if length > 0, head["expect"]?.lowercased() == "100-continue" {
      _ = stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), until: stream.now + 1)
    }
    let end = stream.now + Self.passedSeconds
    var left = length
    if !buffer.isEmpty {
      let first = Array(buffer.prefix(left))
      buffer.removeFirst(first.count)
      left -= first.count
      try reception.take(first)
    }
    while left > 0 {
      let deadline = min(end, stream.now + Self.bodySeconds)
      switch stream.read(atMost: min(left, 1 << 18), until: deadline) {
      case .bytes(let bytes):
        left -= bytes.count
        try reception.take(bytes)
      case .ended: throw Self.endsEarly
      case .late:
        throw HTTPFault(408, "slow", "each piece of a request's body has 10 s to arrive")
      }
    }
  }

  private static let endsEarly = HTTPFault(
    400, "bad-request", "the request cannot be read: its body ends early")
  private static let headTooLarge = HTTPFault(
    431, "head-too-large", "a request's head has at most \(RequestHead.largest) bytes")
  private static func bodyTooLarge(_ limit: Int) -> HTTPFault {
    HTTPFault(413, "body-too-large", "a request's body has at most \(limit) bytes")
  }
  private static let badChunk = HTTPFault(
    400, "bad-request", "the request cannot be read: its chunks are broken")

  /// Where a head ends: the place of the empty line's beginning.
  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + 4 else { return nil }
    return (start...bytes.count - 4).first { place in
      bytes[place] == 0x0D && bytes[place + 1] == 0x0A && bytes[place + 2] == 0x0D
        && bytes[place + 3] == 0x0A
    }
  }

  private mutating func chunks(
    atMost limit: Int, until deadline: Double
  ) throws(HTTPFault) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try chunkLine(until: deadline)
      guard (1...8).contains(line.count),
        let size = Int(String(decoding: line, as: UTF8.self), radix: 16),
        line.first != 0x2B, line.first != 0x2D
      else { throw Self.badChunk }
      guard size > 0 else {
        // No fields may follow: nobody here would look at them.
        guard try take(2, until: deadline) == [0x0D, 0x0A] else { throw Self.badChunk }
        return body
      }
      guard body.count + size <= limit else { throw Self.bodyTooLarge(limit) }
      body += try take(size, until: deadline)
      guard try take(2, until: deadline) == [0x0D, 0x0A] else { throw Self.badChunk }
    }
  }

  private mutating func chunkLine(until deadline: Double) throws(HTTPFault) -> [UInt8] {
    var line: [UInt8] = []
    while true {
      let byte = try take(1, until: deadline)[0]
      if byte == 0x0D {
        guard try take(1, until: deadline) == [0x0A] else { throw Self.badChunk }
        return line
      }
      line.append(byte)
      guard line.count <= 8 else { throw Self.badChunk }
    }
  }

  private mutating func take(_ count: Int, until deadline: Double) throws(HTTPFault) -> [UInt8] {
    while buffer.count < count {
      switch stream.read(atMost: 16_384, until: deadline) {
      case .bytes(let bytes): buffer += bytes
      case .ended: throw Self.endsEarly
      case .late: throw HTTPFault(408, "slow", "a request's body has 10 s to arrive")
      }
    }
    let taken = Array(buffer[..<count])
    buffer.removeFirst(count)
    return taken
  }
}
