// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc

/// A connection of the kernel's, TCP or UNIX; it is closed with the last reference.
final class SocketStream: ByteStream {
  let descriptor: Int32

  /// Takes over a descriptor that does not block.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  var now: Double { MonotonicClock.seconds }

  func read(atMost count: Int, until deadline: Double) -> Received {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let got = recv(descriptor, &bytes, count, 0)
      if got > 0 { return .bytes(Array(bytes[..<got])) }
      guard got < 0 else { return .ended }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return .ended }
      guard wait(for: POLLIN, until: deadline) else { return .late }
    }
  }

  func write(_ bytes: [UInt8], until deadline: Double) -> Bool {
    var written = 0
    while written < bytes.count {
      let sent = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map {
          send(descriptor, $0 + written, bytes.count - written, Int32(MSG_NOSIGNAL))
        } ?? 0
      }
      if sent > 0 {
        written += sent
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN, wait(for: POLLOUT, until: deadline) else { return false }
    }
    return true
  }

  func finish() {
    shutdown(descriptor, Int32(SHUT_WR))
    let deadline = now + 1
    var left = 1 << 20
    while left > 0, case .bytes(let bytes) = read(atMost: 65_536, until: deadline) {
      left -= bytes.count
    }
  }

  func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func wait(for event: Int32, until deadline: Double) -> Bool {
    while true {
      let left = deadline - now
      guard left > 0 else { return false }
      var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let count = poll(&waiting, 1, Int32(min(left * 1000 + 1, 60_000)))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}
