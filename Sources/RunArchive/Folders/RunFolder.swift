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
  /// Whether the hidden folder stays when it is not kept under its name.
  private var isKept = false

  /// Makes the hidden folder below `parent`, which is made too, with the folders above it, where it is not there.
  ///
  /// Where the name is taken, a number is put after it.
  public init(name: String, in parent: String) throws(ArchiveError) {
    try Folder.make(parent)
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

  /// Goes on in the hidden folder of work that was stopped, or makes it; it stays until it is kept.
  ///
  /// - Parameters:
  ///   - work: What the hidden folder is called: the same work finds it again.
  ///   - name: The folder's name once it is whole; where it is taken, a number is put after it.
  ///   - parent: The folder that both lie in.
  /// - Throws: `ArchiveError` where the folder cannot be made.
  public init(resuming work: String, as name: String, in parent: String) throws(ArchiveError) {
    try Folder.make(parent)
    let hidden = parent + "/." + work + ".partial"
    if mkdir(hidden, 0o755) != 0, errno != EEXIST { throw AtomicFile.failure(parent, errno) }
    var candidate = name
    var number = 1
    while access(parent + "/" + candidate, F_OK) == 0 {
      number += 1
      candidate = "\(name)-\(number)"
    }
    self.name = candidate
    self.parent = parent
    path = hidden
    finalPath = parent + "/" + candidate
    isKept = true
  }

  /// Removes a file of the folder; one that is not there is no error.
  public borrowing func remove(_ file: String) throws(ArchiveError) {
    if unlink(path + "/" + file) != 0, errno != ENOENT {
      throw AtomicFile.failure(path + "/" + file, errno)
    }
  }

  /// Removes what the hidden folder holds, to begin anew.
  public borrowing func clear() { Folder.empty(path) }

  deinit { if !isKept { Folder.remove(path) } }

  /// Writes a text file into the folder.
  public borrowing func write(_ text: String, to file: String) throws(ArchiveError) {
    try AtomicFile.write(text, to: path + "/" + file)
  }

  /// Shows the folder under its name: everything in it is on the disk by then.
  public mutating func keep() throws(ArchiveError) {
    Folder.sync(path)
    guard rename(path, finalPath) == 0 else { throw AtomicFile.failure(finalPath, errno) }
    isKept = true
    Folder.sync(parent)
  }
}
