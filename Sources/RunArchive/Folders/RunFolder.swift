private import Glibc

/// The folder of one run while it is made: hidden under another name until it is whole.
///
/// `reports/.NAME.partial` becomes `reports/NAME` in one rename, after everything in it is on the disk.
/// What a crash leaves behind keeps the hidden name and is never taken for a run.
public struct RunFolder: ~Copyable {
  /// The folder's name once it is whole.
  public let name: String
  /// Where files are written now.
  public let path: String
  /// Where the folder will be.
  public let finalPath: String

  private let parent: String
  private var isKept = false

  /// Makes the hidden folder below `parent`, which is made too, with the folders above it, where it is not there.
  ///
  /// Where the name is taken, a number is put after it.
  public init(name: String, in parent: String) throws(ArchiveError) {
    try Self.make(parent)
    var candidate = name
    var number = 1
    while true {
      let hidden = parent + "/." + candidate + ".partial"
      if access(parent + "/" + candidate, F_OK) != 0 {
        if mkdir(hidden, 0o755) == 0 { break }
        guard errno == EEXIST else { throw AtomicFile.failure(parent, errno) }
      }
      number += 1
      candidate = "\(name)-\(number)"
    }
    self.name = candidate
    self.parent = parent
    path = parent + "/." + candidate + ".partial"
    finalPath = parent + "/" + candidate
  }

  deinit { if !isKept { Self.remove(path) } }

  /// Writes a text file into the folder.
  public borrowing func write(_ text: String, to file: String) throws(ArchiveError) {
    try AtomicFile.write(text, to: path + "/" + file)
  }

  /// Shows the folder under its name: everything in it is on the disk by then.
  public mutating func keep() throws(ArchiveError) {
    Self.sync(path)
    guard rename(path, finalPath) == 0 else { throw AtomicFile.failure(finalPath, errno) }
    isKept = true
    Self.sync(parent)
  }

  /// Makes a folder and those above it that are not there.
  private static func make(_ folder: String) throws(ArchiveError) {
    if mkdir(folder, 0o755) == 0 || errno == EEXIST { return }
    let reason = errno
    guard reason == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw AtomicFile.failure(folder, reason)
    }
    try make(String(folder[..<slash]))
    if mkdir(folder, 0o755) != 0, errno != EEXIST { throw AtomicFile.failure(folder, errno) }
  }

  private static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes a folder of plain files.
  private static func remove(_ folder: String) {
    if let stream = opendir(folder) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        }
        if name != "." && name != ".." { unlink(folder + "/" + name) }
      }
      closedir(stream)
    }
    rmdir(folder)
  }
}
