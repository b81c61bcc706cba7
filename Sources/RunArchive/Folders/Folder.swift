// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Paths

/// Folders of plain files.
public enum Folder {
  /// Makes a folder and those above it that are not there.
  public static func make(_ folder: String) throws(ArchiveError) {
    if mkdir(folder, 0o755) == 0 || errno == EEXIST { return }
    let reason = errno
    let parent = FilePath.folder(of: folder)
    guard reason == ENOENT, parent != ".", parent != "/" else {
      throw AtomicFile.failure(folder, reason)
    }
    try make(parent)
    if mkdir(folder, 0o755) != 0, errno != EEXIST { throw AtomicFile.failure(folder, errno) }
  }

  /// Makes sure that a file of some size can be written into a folder now, by writing one and removing it.
  public static func probe(_ folder: String, bytes: Int) throws(ArchiveError) {
    let file = folder + "/.haprig-probe-\(getpid())"
    do throws(ArchiveError) {
      try AtomicFile.write([UInt8](repeating: 0x55, count: bytes), to: file)
    } catch {
      throw ArchiveError(path: folder, message: error.message)
    }
    unlink(file)
  }

  /// The names of what lies in a folder, in the order of their bytes: the plain or the hidden ones.
  public static func names(
    in folder: String, hidden: Bool = false
  ) throws(ArchiveError) -> [String] {
    guard let stream = opendir(folder) else {
      let reason = errno
      guard reason == EACCES else { throw AtomicFile.failure(folder, reason) }
      throw ArchiveError(path: folder, message: "the folder cannot be read: check its permissions")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let name = next(stream) {
      if name.hasPrefix(".") == hidden, name != ".", name != ".." { names.append(name) }
    }
    return FilePath.sorted(names)
  }

  /// The paths of the files below a folder, counted from it, in the order of their bytes.
  ///
  /// Folders are looked into, links are not followed and count as files. Hidden names are left out, unless
  /// `hidden` asks for them too.
  public static func paths(below folder: String, hidden: Bool = false) throws(ArchiveError)
    -> [String]
  {
    var names = try names(in: folder)
    if hidden { names += try self.names(in: folder, hidden: true) }
    var paths: [String] = []
    for name in names {
      guard isFolder(folder + "/" + name) else {
        paths.append(name)
        continue
      }
      paths += try self.paths(below: folder + "/" + name, hidden: hidden).map { name + "/" + $0 }
    }
    return FilePath.sorted(paths)
  }

  /// Whether a path is a folder itself, and no link to one.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Writes what the folder and those below it hold by name to the disk.
  static func sync(_ folder: String) {
    for name in (try? names(in: folder)) ?? [] where isFolder(folder + "/" + name) {
      sync(folder + "/" + name)
    }
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes a folder with what it holds; of a link the link alone.
  static func remove(_ folder: String, last: String? = nil) {
    if let open = try? OpenFolder(folder) {
      open.empty(but: last)
      open.empty()
    }
    if rmdir(folder) != 0, errno == ENOTDIR { unlink(folder) }
  }

  /// Removes what a folder holds, one name apart; of a link nothing.
  static func empty(_ folder: String, but kept: String? = nil) {
    if let open = try? OpenFolder(folder) { open.empty(but: kept) }
  }

  /// The first of `name`, `name-2`, `name-3` and so on that a caller takes.
  static func numbered<Failure>(
    _ name: String, _ takes: (String) throws(Failure) -> Bool
  ) throws(Failure) -> String {
    var (candidate, number) = (name, 1)
    while try !takes(candidate) {
      number += 1
      candidate = "\(name)-\(number)"
    }
    return candidate
  }

  static func next(_ stream: OpaquePointer) -> String? {
    guard let entry = readdir(stream) else { return nil }
    return withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
    }
  }
}
