private import Glibc

/// Folders of plain files.
public enum Folder {
  /// Makes a folder and those above it that are not there.
  public static func make(_ folder: String) throws(ArchiveError) {
    if mkdir(folder, 0o755) == 0 || errno == EEXIST { return }
    let reason = errno
    guard reason == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw AtomicFile.failure(folder, reason)
    }
    try make(String(folder[..<slash]))
    if mkdir(folder, 0o755) != 0, errno != EEXIST { throw AtomicFile.failure(folder, errno) }
  }

  /// The names of what lies in a folder, in the order of their bytes; hidden ones are left out.
  public static func names(in folder: String) throws(ArchiveError) -> [String] {
    guard let stream = opendir(folder) else { throw AtomicFile.failure(folder, errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let name = next(stream) {
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// Writes what the folder holds by name to the disk.
  static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes a folder of plain files.
  static func remove(_ folder: String) {
    empty(folder)
    rmdir(folder)
  }

  /// Removes the plain files of a folder.
  static func empty(_ folder: String) {
    guard let stream = opendir(folder) else { return }
    while let name = next(stream) {
      if name != "." && name != ".." { unlink(folder + "/" + name) }
    }
    closedir(stream)
  }

  private static func next(_ stream: OpaquePointer) -> String? {
    guard let entry = readdir(stream) else { return nil }
    return withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
    }
  }
}
