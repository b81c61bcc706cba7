// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText

/// Reading the files of an archive: regular ones of bounded size, by no link.
enum StoredFile {
  /// The most bytes of a `record.json` that are read.
  static let recordLimit = 64 << 20

  /// All bytes of a file in a folder that is no link; `nil` where there is none.
  static func bytes(
    _ name: String, in folder: String, limit: Int
  ) throws(ArchiveError) -> [UInt8]? {
    let path = folder + "/" + name
    guard let open = try OpenFolder(folder),
      let (descriptor, size) = try open.file(name, path: path)
    else { return nil }
    defer { close(descriptor) }
    guard size <= limit else {
      throw ArchiveError(
        path: path, message: "the file holds \(size) bytes, and at most \(limit) are read")
    }
    var bytes = [UInt8](repeating: 0, count: size)
    var filled = 0
    while filled < size {
      let count = bytes.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { read(descriptor, $0 + filled, size - filled) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(size - filled)
    return bytes
  }

  /// The first bytes of a file, fewer where it has fewer; `nil` where there is none.
  static func beginning(_ path: String, count: Int) throws(ArchiveError) -> [UInt8]? {
    guard let (descriptor, _) = try opened(path) else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = read(descriptor, &bytes, count)
    guard read >= 0 else { throw failure(path, errno) }
    return Array(bytes.prefix(read))
  }

  /// The size of a regular file in a folder that is no link; `nil` where there is none.
  static func size(_ name: String, in folder: String) throws(ArchiveError) -> Int? {
    guard let open = try OpenFolder(folder),
      let (descriptor, size) = try open.file(name, path: folder + "/" + name)
    else { return nil }
    close(descriptor)
    return size
  }

  /// The size and the SHA-256 of a file of any size in a folder that is no link, a megabyte in memory; `nil`
  /// where there is none.
  static func account(
    _ name: String, in folder: String
  ) throws(ArchiveError) -> (bytes: Int, hash: ContentHash)? {
    let path = folder + "/" + name
    guard let open = try OpenFolder(folder), let (descriptor, _) = try open.file(name, path: path)
    else { return nil }
    defer { close(descriptor) }
    var hasher = ContentHasher()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var total = 0
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      guard count > 0 else { break }
      hasher.update(buffer, count: count)
      total += count
    }
    return (total, hasher.finish())
  }

  /// Opens a regular file; a link, a pipe or a folder is refused without waiting for it.
  private static func opened(_ path: String) throws(ArchiveError) -> (Int32, size: Int)? {
    try regular(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), path)
  }

  /// The descriptor of what was just opened and its size, where it is a regular file; `nil` where nothing is there.
  static func regular(
    _ descriptor: Int32, _ path: String
  ) throws(ArchiveError) -> (Int32, size: Int)? {
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path, errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ArchiveError(
        path: path, message: "this is no regular file: run folders hold files only")
    }
    return (descriptor, Int(status.st_size))
  }

  static func failure(_ path: String, _ reason: Int32) -> ArchiveError {
    let message =
      switch reason {
      case ELOOP: "this is a link: run folders hold files only"
      case EACCES, EPERM: "the file may not be read: check its permissions"
      default: "the file cannot be read: \(String(cString: strerror(reason)))"
      }
    return ArchiveError(path: path, message: message)
  }
}

/// A folder that is held open: what is read or removed in it is in this folder, whatever becomes of its name.
///
/// An archive holds folders and files themselves. No link in it is followed, at any level: it could lead out of the
/// archive, and what is old there would be removed with the runs.
struct OpenFolder: ~Copyable {
  private let descriptor: Int32

  /// Opens a folder that is no link itself; links on the way to it are followed, since whoever named the archive may
  /// have named it through one.
  ///
  /// `nil` where there is none, or a file.
  init?(_ path: String) throws(ArchiveError) {
    descriptor = open(path, Self.flags)
    guard descriptor < 0 else { return }
    let reason = errno
    if Self.isLinkToNoFile(path) { throw Self.linked(path) }
    guard [ENOENT, ENOTDIR, ELOOP].contains(reason) else {
      throw AtomicFile.failure(path, reason)
    }
    return nil
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

  /// A path that leads to this very folder, for what is written into it by name.
  var pinnedPath: String { "/proc/self/fd/\(descriptor)" }

  /// Opens a regular file at a path in the folder, no component of it a link; `nil` where there is none.
  ///
  /// `path` is the file's path as people read it.
  func file(_ name: String, path: String) throws(ArchiveError) -> (Int32, size: Int)? {
    var folder = duplicate
    defer { close(folder) }
    let components = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    for component in components.dropLast() {
      let next = openat(folder, component, Self.flags)
      let reason = errno
      guard next >= 0 else {
        if Self.kind(of: component, in: folder) == S_IFLNK { throw Self.linked(path) }
        if reason == ENOENT || reason == ENOTDIR { return nil }
        throw StoredFile.failure(path, reason)
      }
      close(folder)
      folder = next
    }
    return try StoredFile.regular(
      openat(folder, components.last ?? "", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), path)
  }

  /// The size of a regular file in the folder; `nil` where there is none.
  func size(of name: String) -> Int? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Int(status.st_size)
  }

  /// Removes a name in the folder that is no folder; a link is removed itself.
  func unlink(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Removes what the folder holds, one name apart; links are removed themselves, never what they lead to.
  func empty(but kept: String? = nil) {
    for name in names where name != kept {
      let below = openat(descriptor, name, Self.flags)
      if below >= 0 {
        OpenFolder(descriptor: below).empty()
        unlinkat(descriptor, name, AT_REMOVEDIR)
      } else {
        unlink(name)
      }
    }
  }

  /// The names of all that lies in it, hidden ones too, in no order.
  private var names: [String] {
    guard let stream = fdopendir(duplicate) else { return [] }
    defer { closedir(stream) }
    rewinddir(stream)
    var names: [String] = []
    while let name = Folder.next(stream) { if name != ".", name != ".." { names.append(name) } }
    return names
  }

  /// The same folder once more, for whoever closes it; no program that is started inherits it.
  private var duplicate: Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

  private static func kind(of name: String, in folder: Int32) -> mode_t? {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Whether a path is a link, and not one to a mere file: to a folder, to nothing, to itself.
  static func isLinkToNoFile(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR
  }

  private static func linked(_ path: String) -> ArchiveError {
    ArchiveError(
      path: path,
      message:
        "this is a link, and an archive holds the folders themselves: nothing behind it is read "
        + "or removed; put the folder itself here, or remove the link")
  }
}

/// What was taken out of a run's folder on purpose: `pruned.json` in it.
///
/// It is written before anything is removed, so that a file that is missing is either named here or lost.
struct PrunedFiles {
  static let file = "pruned.json"
  private static let schema = "haprig.pruned/1"
  private static let limit = 16 << 20

  var date: String
  var names: Set<String>

  /// Reads the account of a run's folder; empty where nothing was removed.
  static func read(in folder: String) throws(ArchiveError) -> PrunedFiles {
    let path = folder + "/" + file
    guard let bytes = try StoredFile.bytes(file, in: folder, limit: limit) else {
      return PrunedFiles(date: "", names: [])
    }
    do {
      let field = JSONField(root: try JSONDocument(bytes).root, of: .init(name: "account"))
      let schemaField = try field["schema"]
      guard try schemaField.string() == schema else {
        throw schemaField.error("schema must be '\(schema)'")
      }
      let names = try JSONForm.list(.string).member("files", of: field)
      return PrunedFiles(date: try field["date"].string(), names: Set(names))
    } catch {
      throw ArchiveError(path: path, message: "\(error)")
    }
  }

  /// Writes the account into a run's folder; `path` is what people call it.
  func write(in folder: borrowing OpenFolder, path: String) throws(ArchiveError) {
    let json: JSONValue = [
      "schema": .string(Self.schema), "date": .string(date),
      "files": .array(names.sorted().map { .string($0) }),
    ]
    do throws(ArchiveError) {
      try AtomicFile.write(
        json.text(indent: 1, sortedKeys: true) + "\n", to: folder.pinnedPath + "/" + Self.file)
    } catch {
      throw ArchiveError(path: path + "/" + Self.file, message: error.message)
    }
  }
}
