// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText
import Paths
import Workflows

/// A sound that comes from a page: a hidden file beside its place until all of it is there.
final class SoundUpload: Reception {
  let limit = 256 << 20
  private let name: String
  private let path: String
  private let partial: String
  private let replaces: Bool
  private var descriptor: Int32
  private var count = 0

  init(_ name: String, into folder: PatternFolder, replacing: Bool) throws(HTTPFault) {
    let path = try folder.path(ofSound: name)
    guard ComposeWorkflow.endings.contains(FilePath.ending(of: name)) else {
      let known = ComposeWorkflow.endings.sorted().joined(separator: ", ")
      throw HTTPFault(
        415, "no-sound", "'\(FilePath.name(of: name))' has no ending of a sound: known are \(known)"
      )
    }
    try folder.checkWritable(name)
    (self.name, self.path, replaces) = (name, path, replacing)
    // Two pages may send one name at once.
    let mark = UInt32.random(in: 0...(.max))
    partial = FilePath.join(
      FilePath.folder(of: path), ".\(FilePath.name(of: path)).\(mark).partial")
    descriptor = -1
    try checkPlace()
    descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.fault(name, errno) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(partial)
  }

  /// Refuses a place that is taken, unless by a sound that is to be replaced.
  private func checkPlace() throws(HTTPFault) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw HTTPFault(409, "exists", "'\(name)' is there already, and is no plain file")
    }
    guard replaces else { throw taken }
  }

  private var taken: HTTPFault {
    HTTPFault(409, "exists", "there is a sound '\(name)' already")
  }

  func take(_ bytes: [UInt8]) throws(HTTPFault) {
    var written = 0
    while written < bytes.count {
      let part = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { write(descriptor, $0 + written, bytes.count - written) } ?? 0
      }
      if part < 0, errno == EINTR { continue }
      guard part > 0 else { throw Self.fault(name, errno) }
      written += part
    }
    count += bytes.count
  }

  func finish() throws(HTTPFault) -> Response {
    guard count > 0 else {
      throw HTTPFault(422, "empty", "'\(name)' is empty: a sound has bytes")
    }
    guard fsync(descriptor) == 0 else { throw Self.fault(name, errno) }
    try checkPlace()
    let isNew = access(path, F_OK) != 0
    // Where another one has come meanwhile, it stays: a link takes no place that is taken.
    guard (replaces ? rename(partial, path) : link(partial, path)) == 0 else {
      throw errno == EEXIST ? taken : Self.fault(name, errno)
    }
    return Response(
      ["sound": .string(name), "bytes": .integer(count)], status: isNew ? 201 : 200)
  }

  private static func fault(_ name: String, _ reason: Int32) -> HTTPFault {
    reason == ENOSPC || reason == EDQUOT
      ? HTTPFault(507, "full", "the disk is full: '\(name)' was not written")
      : HTTPFault(
        500, "unwritten", "'\(name)' was not written: \(String(cString: strerror(reason)))")
  }
}
