// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// What a person handed in cannot be used: a file, a folder, a plan.
///
/// One sentence says what and where, what was expected and what to do.
package struct InputError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Reading a file that a person named: a regular file of bounded size, opened once.
package struct RegularFile: ~Copyable {
  /// The open descriptor; it belongs to this value.
  package let descriptor: Int32
  package let path: String
  package let size: Int

  /// Opens a regular file; a pipe, a device or a folder is refused without waiting for it.
  package init(path: String) throws(InputError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let reason = errno
      close(descriptor)
      throw Self.failure(path, reason)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      close(descriptor)
      throw InputError("\(path): this is \(isFolder ? "a folder" : "no regular file"): name a file")
    }
    self.descriptor = descriptor
    self.path = path
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The path of the file itself, links followed; read from the open descriptor, so no race is lost.
  package var truePath: String? { realPath("/proc/self/fd/\(descriptor)") }

  package borrowing func lies(below folder: String) -> Bool {
    path(below: folder) != nil
  }

  /// The path of the file itself from a folder that it lies below; nil for another.
  package borrowing func path(below folder: String) -> String? {
    guard let truePath, let root = realPath(folder) else { return nil }
    let start = root == "/" ? root : root + "/"
    return truePath.hasPrefix(start) ? String(truePath.dropFirst(start.count)) : nil
  }

  package borrowing func bytes(limit: Int) throws(InputError) -> [UInt8] {
    guard size <= limit else {
      throw InputError(
        "\(path): the file holds \(size) bytes, and at most \(limit) are read: is this the right file?"
      )
    }
    var bytes = [UInt8](repeating: 0, count: size)
    var filled = 0
    while filled < size {
      let count = bytes.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { read(descriptor, $0 + filled, size - filled) } ?? 0
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path, errno) }
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(size - filled)
    return bytes
  }

  private static func failure(_ path: String, _ reason: Int32) -> InputError {
    switch reason {
    case ENOENT, ENOTDIR: InputError("\(path): there is no such file: check the path")
    case EACCES, EPERM: InputError("\(path): the file may not be read: check its permissions")
    case ELOOP: InputError("\(path): the links lead in a circle: name the file itself")
    default: InputError("\(path): the file cannot be opened: \(String(cString: strerror(reason)))")
    }
  }
}

/// The absolute path of a file or folder with all links followed, or `nil` where there is none.
func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

func isPath(_ path: String, below folder: String) -> Bool {
  guard let root = realPath(folder) else { return false }
  return root == "/" || path.hasPrefix(root + "/")
}
