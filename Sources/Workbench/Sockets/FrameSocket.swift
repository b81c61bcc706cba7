// SPDX-License-Identifier: Apache-2.0

import Devices

/// A socket's two directions, for one reader and any number of writers.
final class FrameSocket: Sendable {
  private let stream: any ByteStream
  private let reader: Guarded<FrameReader>
  private let writing = Guarded(true)

  /// How long a page may take to take what is written.
  static let patience = 10.0

  init(_ stream: any ByteStream, rest: [UInt8]) {
    self.stream = stream
    reader = Guarded(FrameReader(stream, rest: rest))
  }

  var now: Double { stream.now }

  /// Waits for what the page says next, and answers pings by itself.
  ///
  /// A frame that breaks the rules closes the socket.
  func next() -> SocketMessage {
    reader.withLock { reader in
      while true {
        do throws(SocketFault) {
          let message = try reader.next()
          if case .ping(let payload) = message {
            guard send(0xA, payload) else { return .closed }
            continue
          }
          if message == .closed { close(SocketFault(code: 1000, reason: "")) }
          return message
        } catch {
          close(error)
          return .closed
        }
      }
    }
  }

  /// `false` where the page is gone, or did not read for too long.
  func send(text: [UInt8]) -> Bool { send(0x1, text) }

  func send(binary: [UInt8]) -> Bool { send(0x2, binary) }

  func close(_ fault: SocketFault) {
    let reason = Array(fault.reason.utf8.prefix(120))
    writing.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      let payload = [UInt8(fault.code >> 8), UInt8(fault.code & 0xFF)] + reason
      _ = stream.write(Self.frame(0x8, payload), until: stream.now + 1)
    }
  }

  /// Ends the connection without a word; the reader wakes.
  func cut() { stream.cut() }

  private func send(_ kind: UInt8, _ payload: [UInt8]) -> Bool {
    writing.withLock { isOpen in
      guard isOpen else { return false }
      isOpen = stream.write(Self.frame(kind, payload), until: stream.now + Self.patience)
      return isOpen
    }
  }

  static func frame(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    let length: [UInt8] =
      if count <= 125 {
        [UInt8(count)]
      } else if count <= 0xFFFF {
        [126, UInt8(count >> 8), UInt8(count & 0xFF)]
      } else {
        [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
      }
    return [0x80 | kind] + length + payload
  }
}
