// SPDX-License-Identifier: Apache-2.0

import Authoring
private import Glibc
import Paths

/// The file that a document's steps are appended to, before any of them is answered.
final class DraftFile {
  let path: String
  private let descriptor: Int32
  private(set) var length: Int
  private var isDirty = false

  /// Opens a draft to append to: behind its first `length` bytes, whatever stands there now.
  init(_ path: String, keeping length: Int) throws(HTTPFault) {
    let descriptor = open(
      path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw Self.fault(path, errno) }
    self.path = path
    self.descriptor = descriptor
    self.length = length
    guard ftruncate(descriptor, off_t(length)) == 0 else { throw Self.fault(path, errno) }
  }

  deinit {
    sync()
    close(descriptor)
  }

  /// Appends a line; where it does not fit, nothing of it stays.
  func append(_ line: [UInt8]) throws(HTTPFault) {
    var sent = 0
    while sent < line.count {
      let count = line[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = errno
        ftruncate(descriptor, off_t(length))
        throw Self.fault(path, reason)
      }
      sent += count
    }
    length += line.count
    isDirty = true
  }

  /// Brings what was appended to the disk, which a loss of power does not take back then.
  func sync() {
    guard isDirty else { return }
    isDirty = false
    fsync(descriptor)
  }

  private static func fault(_ path: String, _ reason: Int32) -> HTTPFault {
    HTTPFault(
      507, "no-draft",
      "the edit cannot be kept, so it was not made: \(FilePath.name(of: path)): "
        + String(cString: strerror(reason)))
  }

  /// What a draft's file holds; `nil` where there is none.
  static func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    // One more than is read tells that it is too long.
    var bytes = [UInt8](
      repeating: 0, count: min(Int(status.st_size), Draft.longestRead + 1))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return Array(bytes[..<filled])
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func remove(_ path: String) { unlink(path) }

  /// Puts a draft aside that cannot be read, so that nobody loses it.
  static func putAside(_ path: String) { rename(path, path + ".unreadable") }
}
