// SPDX-License-Identifier: Apache-2.0

import Reporting
import RunArchive
import SeededRandom
import Testing

@testable import Workbench

struct FrameTests {
  /// A frame as a page sends it.
  static func frame(
    _ first: UInt8, _ payload: [UInt8], mask: [UInt8]? = [1, 2, 3, 4], length: [UInt8]? = nil
  ) -> [UInt8] {
    let size: [UInt8] =
      length
      ?? (payload.count <= 125
        ? [UInt8(payload.count)]
        : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)])
    let head = [first, size[0] | (mask == nil ? 0 : 0x80)] + size.dropFirst() + (mask ?? [])
    return head + payload.enumerated().map { $1 ^ (mask?[$0 % 4] ?? 0) }
  }

  private static func read(_ bytes: [UInt8]) -> Result<[SocketMessage], SocketFault> {
    var reader = FrameReader(ScriptedStream(bytes: bytes), rest: [])
    var messages: [SocketMessage] = []
    while true {
      do throws(SocketFault) {
        let message = try reader.next()
        if message == .closed { return .success(messages) }
        messages.append(message)
      } catch {
        return .failure(error)
      }
    }
  }

  private static func code(_ bytes: [UInt8]) -> UInt16? {
    if case .failure(let fault) = read(bytes) { fault.code } else { nil }
  }

  @Test func `texts, pieces and pings are read`() {
    let hello = Array("hello".utf8)
    let bytes =
      Self.frame(0x81, hello) + Self.frame(0x01, Array("hel".utf8)) + Self.frame(0x89, [7])
      + Self.frame(0x00, Array("l".utf8)) + Self.frame(0x80, Array("o".utf8))
      + Self.frame(0x8A, []) + Self.frame(0x81, []) + Self.frame(0x88, [3, 232])
    #expect(
      Self.read(bytes) == .success([.text("hello"), .ping([7]), .text("hello"), .text("")]))
    let long = [UInt8](repeating: 97, count: 4096)
    #expect(
      Self.read(Self.frame(0x81, long)) == .success([.text(String(repeating: "a", count: 4096))]))
  }

  @Test func `every broken frame has its code`() {
    #expect(Self.code(Self.frame(0x81, [97], mask: nil)) == 1002)
    for bits: UInt8 in [0x10, 0x20, 0x40, 0x70] {
      #expect(Self.code(Self.frame(0x81 | bits, [97])) == 1002)
    }
    for kind: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
      #expect(Self.code(Self.frame(0x80 | kind, [])) == 1002)
    }
    #expect(Self.code(Self.frame(0x82, [1])) == 1003)
    #expect(Self.code(Self.frame(0x81, [], length: [127, 0x80, 0, 0, 0, 0, 0, 0, 0])) == 1009)
    #expect(Self.code(Self.frame(0x81, [], length: [127, 0, 0, 0, 0, 0, 0, 0, 1])) == 1009)
    #expect(Self.code(Self.frame(0x81, [], length: [126, 0x10, 0x01])) == 1009)
    #expect(Self.code(Self.frame(0x81, [97], length: [126, 0, 1])) == 1002)
    #expect(Self.code(Self.frame(0x89, [], length: [126, 0, 200])) == 1002)
    #expect(Self.code(Self.frame(0x09, [])) == 1002)
    #expect(Self.code(Self.frame(0x80, [])) == 1002)
    #expect(Self.code(Self.frame(0x01, []) + Self.frame(0x81, [])) == 1002)
    #expect(Self.code(Self.frame(0x81, [0xC3, 0x28])) == 1007)
  }

  @Test func `pieces without an end are not kept`() {
    let piece = Self.frame(0x00, [UInt8](repeating: 97, count: 4096))
    let bytes = Self.frame(0x01, []) + Array((0..<17).map { _ in piece }.joined())
    #expect(Self.code(bytes) == 1009)
    let empty = Self.frame(0x01, []) + Array((0..<200).map { _ in Self.frame(0x00, []) }.joined())
    #expect(Self.code(empty) == 1008)
  }

  @Test func `a page sends at most 100 frames a second`() {
    let ping = Self.frame(0x89, [])
    #expect(Self.code(Array((0..<101).map { _ in ping }.joined())) == 1008)
    if case .success(let messages) = Self.read(Array((0..<100).map { _ in ping }.joined())) {
      #expect(messages.count == 100)
    } else {
      Issue.record("100 frames are refused")
    }
  }

  @Test func `a page that says nothing for half a minute is closed`() {
    var reader = FrameReader(ScriptedStream([]), rest: [])
    let fault = #expect(throws: SocketFault.self) { () throws(SocketFault) in try reader.next() }
    #expect(fault?.code == 1008)
  }

  @Test func `no bytes at all bring the reader down`() {
    let seed: UInt64 = 20_261_125
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<40, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = Self.read(bytes)
    }
  }

  @Test func `the hash is that of its standard's examples`() {
    func text(_ message: String) -> String {
      SHA1.hash(Array(message.utf8)).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
    }
    #expect(text("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(text("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(
      text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    // RFC 6455, 1.3.
    let key = "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    #expect(Base64.text(of: SHA1.hash(Array(key.utf8))) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}
