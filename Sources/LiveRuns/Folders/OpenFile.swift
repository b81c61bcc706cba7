// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The names in a live folder.
enum LiveNames {
  static let lock = "lock"
  static let events = "events.jsonl"
  static let waves = "waves"
  static let all = [events, waves, lock]
}

/// A file that is open to be read; values that read it share it, and the last of them closes it.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(_ path: String) throws(LiveError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw LiveError("cannot be read:", path, errno) }
  }

  deinit { close(descriptor) }

  /// Whether the file has no name any more.
  var isGone: Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink == 0
  }

  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Some bytes; `nil` where there are not that many.
  func bytes(at offset: Int, count: Int) -> [UInt8]? {
    let bytes = bytes(at: offset, atMost: count)
    return bytes.count == count ? bytes : nil
  }

  func bytes(at offset: Int, atMost count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }

  func floats(at offset: Int, count: Int) -> [Float]? {
    let values = [Float](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(UnsafeMutableRawBufferPointer(buffer), at: offset) / 4
    }
    return values.count == count ? values : nil
  }

  func number(at offset: Int) -> UInt64 {
    var number: UInt64 = 0
    let count = withUnsafeMutableBytes(of: &number) { read($0, at: offset) }
    return count == 8 ? UInt64(littleEndian: number) : 0
  }

  private func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    var done = 0
    while done < room.count {
      let count = pread(
        descriptor, room.baseAddress.map { $0 + done }, room.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  /// Whether nobody holds the file's lock, as whoever works does.
  var isFree: Bool {
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
    flock(descriptor, LOCK_UN)
    return true
  }
}
