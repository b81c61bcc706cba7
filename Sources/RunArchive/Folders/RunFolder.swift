// SPDX-License-Identifier: Apache-2.0

public import Acceptance
private import Glibc
import Paths

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

  /// Refuses a run's folder that is a link; what is no folder at all is told by whoever reads it.
  public static func refuseLink(_ path: String) throws(ArchiveError) { _ = try OpenFolder(path) }

  /// What a run's folder holds and no other does: its record.
  public static let recordFile = "record.json"

  /// Whether a path is a run's folder: one with a record, whatever that says.
  public static func isRun(_ path: String) -> Bool {
    access(path + "/" + recordFile, F_OK) == 0
  }

  private let parent: String
  /// Whether the hidden folder stays when it is not kept under its name.
  private var isKept = false
  /// What keeps other processes out of work that can be resumed.
  private let lock: Int32?

  /// Makes the hidden folder below `parent`, which is made too, with the folders above it, where it is not there.
  ///
  /// Where the name is taken, a number is put after it.
  public init(name: String, in parent: String) throws(ArchiveError) {
    try Folder.make(parent)
    self.name = try Folder.numbered(name) { candidate throws(ArchiveError) in
      guard access(parent + "/" + candidate, F_OK) != 0 else { return false }
      if mkdir(parent + "/." + candidate + ".partial", 0o755) == 0 { return true }
      guard errno == EEXIST else { throw AtomicFile.failure(parent, errno) }
      return false
    }
    self.parent = parent
    path = parent + "/." + self.name + ".partial"
    finalPath = parent + "/" + self.name
    lock = nil
  }

  /// Goes on in the hidden folder of work that was stopped, or makes it; it stays until it is kept.
  ///
  /// One process at a time: the folder is locked until the value is gone, and the kernel gives the lock
  /// back however the process ends. The same work finds its folder again; where the name that it is to have is
  /// taken, a number is put after it.
  public init(resuming work: String, as name: String, in parent: String) throws(ArchiveError) {
    try Folder.make(parent)
    let hidden = parent + "/." + work + ".partial"
    lock = try FolderLock.take(hidden)
    self.name = Folder.numbered(name) { access(parent + "/" + $0, F_OK) != 0 }
    self.parent = parent
    path = hidden
    finalPath = parent + "/" + self.name
    isKept = true
  }

  /// Removes a file of the folder; one that is not there is no error.
  public borrowing func remove(_ file: String) throws(ArchiveError) {
    if unlink(path + "/" + file) != 0, errno != ENOENT {
      throw AtomicFile.failure(path + "/" + file, errno)
    }
  }

  /// Removes what the hidden folder holds, to begin anew.
  public borrowing func clear() { Folder.empty(path, but: FolderLock.file) }

  deinit {
    if !isKept { Folder.remove(path) }
    if let lock { HeldLock.release(lock) }
  }

  /// Writes a text file into the folder, or one below it.
  public borrowing func write(_ text: String, to file: String) throws(ArchiveError) {
    try write(Array(text.utf8), to: file)
  }

  /// Writes a file into the folder, or one below it.
  public borrowing func write(_ bytes: [UInt8], to file: String) throws(ArchiveError) {
    let place = path + "/" + file
    if file.contains("/") { try Folder.make(FilePath.folder(of: place)) }
    try AtomicFile.write(bytes, to: place)
  }

  /// The size and hash of every file that the folder holds now but the record, in the order of their paths.
  ///
  /// Reads some 300 MB a second. What the record says of them is what `haprig archive verify` compares
  /// with. `known` are files that were looked at before and have not been written to since.
  public borrowing func contents(
    knowing known: [RunRecord.File] = []
  ) throws(ArchiveError) -> [RunRecord.File] {
    try Self.contents(of: path, knowing: known)
  }

  /// The same of a folder that was kept.
  public static func contents(
    of path: String, knowing known: [RunRecord.File] = []
  ) throws(ArchiveError) -> [RunRecord.File] {
    var files: [RunRecord.File] = []
    for name in try Folder.paths(below: path)
    where name != recordFile && name != PrunedFiles.file {
      if let file = known.first(where: { $0.name == name }) {
        files.append(file)
        continue
      }
      guard let account = try StoredFile.account(name, in: path) else { continue }
      files.append(
        RunRecord.File(name: name, bytes: account.bytes, sha256: account.hash.description))
    }
    return files
  }

  /// Shows the folder under its name: everything in it is on the disk by then.
  public mutating func keep() throws(ArchiveError) {
    Folder.sync(path)
    guard rename(path, finalPath) == 0 else { throw AtomicFile.failure(finalPath, errno) }
    isKept = true
    if lock != nil { unlink(finalPath + "/" + FolderLock.file) }
    Folder.sync(parent)
  }
}
