private import Glibc

/// Why something could not be kept: a folder, a file, a full disk.
public struct ArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was to be written.
  public let path: String
  /// One sentence: what happened and what to do.
  public let message: String

  /// Makes an error.
  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }

  /// The path and the sentence.
  public var description: String { "\(path): \(message)" }
}

/// Writing whole files: beside the target, synced, then renamed, so that a name never shows half a file.
public enum AtomicFile {
  /// Writes a text; an existing file is replaced.
  public static func write(_ text: String, to path: String) throws(ArchiveError) {
    try write(Array(text.utf8), to: path)
  }

  /// Writes bytes; an existing file is replaced.
  public static func write(_ bytes: [UInt8], to path: String) throws(ArchiveError) {
    try stage(bytes, for: path)
    try show(path)
  }

  /// Writes several files that belong together: none is replaced before all are on the disk.
  ///
  /// - Throws: An ``ArchiveError``; where it comes between two names, it says which files are new.
  public static func write(_ files: [(text: String, path: String)]) throws(ArchiveError) {
    for (index, file) in files.enumerated() {
      do throws(ArchiveError) {
        try stage(Array(file.text.utf8), for: file.path)
      } catch {
        for file in files[..<index] { unlink(partial(file.path)) }
        throw ArchiveError(path: error.path, message: error.message + "; no file was changed")
      }
    }
    for (index, file) in files.enumerated() {
      do throws(ArchiveError) {
        try show(file.path)
      } catch {
        for file in files[index...] { unlink(partial(file.path)) }
        let done = files[..<index].map(\.path).joined(separator: ", ")
        let state =
          done.isEmpty
          ? "no file was changed"
          : "changed before that: \(done); once it can be replaced, the same command changes the rest"
        throw ArchiveError(path: error.path, message: "\(error.message); \(state)")
      }
    }
  }

  private static func partial(_ path: String) -> String { path + ".partial" }

  /// Shows what was staged for a path under its name.
  private static func show(_ path: String) throws(ArchiveError) {
    guard rename(partial(path), path) != 0 else { return }
    let reason = errno
    unlink(partial(path))
    switch reason {
    case EACCES, EPERM:
      throw ArchiveError(
        path: path, message: "the file cannot be replaced: check its permissions and attributes")
    default: throw failure(path, reason)
    }
  }

  /// Writes bytes beside a path, to the disk.
  private static func stage(_ bytes: [UInt8], for path: String) throws(ArchiveError) {
    let partial = partial(path)
    unlink(partial)
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path, errno) }
    var reason: Int32 = 0
    var written = 0
    while written < bytes.count, reason == 0 {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Glibc.write(descriptor, $0 + written, bytes.count - written) } ?? 0
      }
      if count < 0 {
        if errno != EINTR { reason = errno }
      } else {
        written += count
      }
    }
    if reason == 0, fsync(descriptor) != 0 { reason = errno }
    if close(descriptor) != 0, reason == 0 { reason = errno }
    guard reason == 0 else {
      unlink(partial)
      throw failure(path, reason)
    }
  }

  /// An error of the operating system as a sentence.
  static func failure(_ path: String, _ reason: Int32) -> ArchiveError {
    let message =
      switch reason {
      case ENOSPC, EDQUOT: "the disk is full: it was not written; make room and run again"
      case EFBIG: "the file would pass the size that is allowed: it was not written"
      case EACCES, EPERM, EROFS: "the folder cannot be written: check its permissions"
      case ENOENT: "the folder does not exist: make it first"
      case ENOTDIR: "a part of the path is a file, not a folder"
      default: "it cannot be written: \(String(cString: strerror(reason)))"
      }
    return ArchiveError(path: path, message: message)
  }
}
