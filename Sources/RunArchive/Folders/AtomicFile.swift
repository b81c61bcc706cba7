// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Paths

/// Why something could not be kept: a folder, a file, a full disk.
public struct ArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was to be written.
  public let path: String
  /// One sentence: what happened and what to do.
  public let message: String
  /// Whether the machine is at its end, a full disk most likely, and nothing that was asked for is wrong.
  public let isOfTheMachine: Bool

  /// Makes an error.
  public init(path: String, message: String, isOfTheMachine: Bool = false) {
    self.path = path
    self.message = message
    self.isOfTheMachine = isOfTheMachine
  }

  /// The path and the sentence.
  public var description: String { "\(path): \(message)" }

  /// The same error, with what has become of the rest.
  func saying(_ more: String) -> ArchiveError {
    ArchiveError(path: path, message: "\(message); \(more)", isOfTheMachine: isOfTheMachine)
  }
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
  /// An error between two names says which files are new.
  public static func write(_ files: [(text: String, path: String)]) throws(ArchiveError) {
    for (index, file) in files.enumerated() {
      do throws(ArchiveError) {
        try stage(Array(file.text.utf8), for: file.path)
      } catch {
        for file in files[..<index] { unlink(partial(file.path)) }
        throw error.saying("no file was changed")
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
        throw error.saying(state)
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
    return ArchiveError(
      path: path, message: message,
      isOfTheMachine: DiskFault.isFull(reason))
  }
}

/// Where an archive is: its run folders on disk, and the index over them beside them or on a server.
public struct ArchiveLocation: Sendable, Hashable {
  /// The folder that the run folders lie in, and baselines.
  public let folder: String
  /// What libpq connects to; `nil` where the index is a file in the folder.
  public let server: String?

  /// The file of the index in the folder.
  public static let indexFile = "index.sqlite"

  /// Where archives are when nothing else is said.
  public static let standardFolder = "reports"

  /// Reads what `--archive` takes: a folder, or a URI that begins with `postgres://` or `postgresql://`.
  ///
  /// `reports` is the folder of the runs where `archive` is a server. Fails where two folders are named, or none.
  public init(_ archive: String, reports: String? = nil) throws(ArchiveError) {
    if archive.hasPrefix("postgres://") || archive.hasPrefix("postgresql://") {
      server = archive
      folder = Self.plain(reports ?? Self.standardFolder)
    } else {
      guard reports == nil || reports.map(Self.plain) == Self.plain(archive) else {
        throw ArchiveError(
          path: archive,
          message: "an archive in a folder has its runs there: --reports goes with --archive "
            + "postgres://USER@HOST/DATABASE only")
      }
      server = nil
      folder = Self.plain(archive)
    }
    guard !folder.isEmpty, !folder.utf8.contains(0) else {
      throw ArchiveError(path: "--archive", message: "the folder has no name: give one")
    }
  }

  /// The location as messages show it, without a password.
  public var description: String { server.map(Self.withoutPassword) ?? folder }

  var indexPath: String { folder + "/" + Self.indexFile }

  private static func plain(_ folder: String) -> String {
    var folder = folder[...]
    while folder.count > 1, folder.last == "/" { folder.removeLast() }
    return String(folder)
  }

  /// A server's address without its password and its query.
  package static func withoutPassword(_ uri: String) -> String {
    // What a query part might say of passwords and keys is not shown at all.
    let plain = uri.prefix { $0 != "?" }
    guard let scheme = plain.range(of: "://"), let at = plain.lastIndex(of: "@"),
      let colon = plain[scheme.upperBound..<at].firstIndex(of: ":")
    else { return String(plain) }
    return plain[..<colon] + ":***" + plain[at...]
  }
}

extension Substring {
  /// The first place of a short text in this one.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
