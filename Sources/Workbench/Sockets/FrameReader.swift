// SPDX-License-Identifier: Apache-2.0

/// What a page says over its socket.
enum SocketMessage: Equatable {
  case text(String)
  case ping([UInt8])
  /// The page, or the connection, is gone.
  case closed
}

/// Why a socket is closed, by the numbers of RFC 6455.
struct SocketFault: Error, Equatable {
  let code: UInt16
  let reason: String

  static let goingAway = SocketFault(code: 1001, reason: "the workbench ends")

  static func broken(_ what: String) -> SocketFault { SocketFault(code: 1002, reason: what) }
}

/// Reads frames from a page: masked, at most 4 KiB each, 64 KiB with all fragments, 100 a second.
struct FrameReader {
  private let stream: any ByteStream
  private var buffer: [UInt8]
  private var fragments: [UInt8]?
  private var windowStart: Double
  private var inWindow = 0

  static let largestFrame = 4 << 10
  static let largestMessage = 64 << 10
  static let mostFrames = 100
  /// How long a page may say nothing at all, and how long one frame may take.
  static let silence = 30.0
  static let frameSeconds = 10.0

  init(_ stream: any ByteStream, rest: [UInt8]) {
    self.stream = stream
    buffer = rest
    windowStart = stream.now
  }

  mutating func next() throws(SocketFault) -> SocketMessage {
    while true {
      guard let first = try take(2, until: stream.now + Self.silence) else { return .closed }
      try countFrame()
      guard first[0] & 0x70 == 0 else { throw .broken("reserved bits are set") }
      guard first[1] & 0x80 != 0 else { throw .broken("a frame is not masked") }
      let isLast = first[0] & 0x80 != 0
      let kind = first[0] & 0x0F
      guard let payload = try payload(of: kind, announced: Int(first[1] & 0x7F)) else {
        return .closed
      }
      switch kind {
      case 0x8:
        guard isLast else { throw .broken("a control frame is in pieces") }
        return .closed
      case 0x9, 0xA:
        guard isLast else { throw .broken("a control frame is in pieces") }
        if kind == 0x9 { return .ping(payload) }
      case 0x1:
        guard fragments == nil else { throw .broken("a message begins inside another") }
        if isLast { return try text(payload) }
        fragments = payload
      case 0x0:
        guard let begun = fragments else { throw .broken("a piece belongs to no message") }
        guard begun.count + payload.count <= Self.largestMessage else {
          throw SocketFault(code: 1009, reason: "a message has at most 64 KiB")
        }
        fragments = begun + payload
        if isLast {
          defer { fragments = nil }
          return try text(fragments ?? [])
        }
      case 0x2: throw SocketFault(code: 1003, reason: "a page sends text")
      default: throw .broken("a frame is of no known kind")
      }
    }
  }

  private func text(_ bytes: [UInt8]) throws(SocketFault) -> SocketMessage {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SocketFault(code: 1007, reason: "a text is no UTF-8")
    }
    return .text(text)
  }

  private mutating func countFrame() throws(SocketFault) {
    let now = stream.now
    if now - windowStart >= 1 { (windowStart, inWindow) = (now, 0) }
    inWindow += 1
    guard inWindow <= Self.mostFrames else {
      throw SocketFault(code: 1008, reason: "a page sends at most 100 frames a second")
    }
  }

  private mutating func payload(
    of kind: UInt8, announced: Int
  ) throws(SocketFault) -> [UInt8]? {
    let deadline = stream.now + Self.frameSeconds
    var length = announced
    if announced == 126 {
      guard let more = try take(2, until: deadline) else { return nil }
      length = Int(more[0]) << 8 | Int(more[1])
      guard length > 125 else { throw .broken("a length is longer than it need be") }
    } else if announced == 127 {
      throw SocketFault(code: 1009, reason: "a frame has at most 4 KiB")
    }
    guard kind < 0x8 || length <= 125 else { throw .broken("a control frame is too long") }
    guard length <= Self.largestFrame else {
      throw SocketFault(code: 1009, reason: "a frame has at most 4 KiB")
    }
    guard let mask = try take(4, until: deadline), var bytes = try take(length, until: deadline)
    else { return nil }
    for place in bytes.indices { bytes[place] ^= mask[place % 4] }
    return bytes
  }

  /// `nil` where the connection ends first.
  private mutating func take(
    _ count: Int, until deadline: Double
  ) throws(SocketFault) -> [UInt8]? {
    while buffer.count < count {
      switch stream.read(atMost: 8192, until: deadline) {
      case .bytes(let bytes): buffer += bytes
      case .ended: return nil
      case .late: throw SocketFault(code: 1008, reason: "the page has said nothing for too long")
      }
    }
    let taken = Array(buffer[..<count])
    buffer.removeFirst(count)
    return taken
  }
}
