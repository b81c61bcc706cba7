import Glibc

/// A folder that is held open: what is read or removed in it is in this folder, whatever becomes of its name.
///
/// An archive holds folders and files themselves. No link in it is followed, at any level: it could lead out of the
/// archive, and what is old there would be removed with the runs.
struct OpenFolder: ~Copyable {
  private let descriptor: Int32

  /// Opens a folder that is no link itself; links on the way to it are followed, since whoever named the archive may
  /// have named it through one.
  ///
  /// - Returns: `nil` where there is none, or a file.
  /// - Throws: `ArchiveError` where it is a link, or may not be read.
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

  /// Opens a regular file at a path in the folder, no component of it a link.
  ///
  /// - Returns: The descriptor and the file's size; `nil` where there is none.
  /// - Throws: `ArchiveError` with `path`, the file's path as people read it.
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
