private import Glibc

/// Writing whole files: beside the target, synced, then renamed, so that a name never shows half a file.
public enum AtomicFile {
  /// Writes a text; an existing file is replaced.
  public static func write(_ text: String, to path: String) throws(ArchiveError) {
    try write(Array(text.utf8), to: path)
  }

  /// Writes bytes; an existing file is replaced.
  public static func write(_ bytes: [UInt8], to path: String) throws(ArchiveError) {
    let partial = path + ".partial"
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
    if reason == 0, rename(partial, path) != 0 { reason = errno }
    guard reason == 0 else {
      unlink(partial)
      throw failure(path, reason)
    }
  }

  /// An error of the operating system as a sentence.
  static func failure(_ path: String, _ reason: Int32) -> ArchiveError {
    let message =
      switch reason {
      case ENOSPC, EDQUOT: "the disk is full: nothing was kept; make room and run again"
      case EFBIG: "the file would pass the size that is allowed: nothing was kept"
      case EACCES, EPERM, EROFS: "the folder cannot be written: check its permissions"
      case ENOENT: "the folder does not exist: make it first"
      case ENOTDIR: "a part of the path is a file, not a folder"
      default: "it cannot be written: \(String(cString: strerror(reason)))"
      }
    return ArchiveError(path: path, message: message)
  }
}
