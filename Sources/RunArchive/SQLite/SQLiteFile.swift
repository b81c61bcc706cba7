import Glibc

/// The index's file with the log beside it, used by many processes and replaced by one at a time.
final class SQLiteFile {
  let database: SQLiteDatabase
  private let lock: IndexLock

  /// The files that belong together under one name.
  private static let suffixes = ["", "-wal", "-shm"]

  /// Opens the index of a folder, and makes it where there is none.
  init(folder: String) throws(IndexFault) {
    let path = folder + "/" + ArchiveLocation.indexFile
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw .failed("\(ArchiveLocation.indexFile) in it is no regular file: move it away")
    }
    lock = try IndexLock(folder, .shared, patience: SQLiteDatabase.patience)
    database = try SQLiteDatabase(path: path)
  }

  /// Moves an index that nothing can be done with to another name, unless another process did already.
  ///
  /// - Returns: The new name, or `nil` where the index is in order again.
  static func setAside(in folder: String) throws(IndexFault) -> String? {
    let lock = try IndexLock(folder, .exclusive, patience: SQLiteDatabase.patience)
    defer { _ = lock }
    let path = folder + "/" + ArchiveLocation.indexFile
    do throws(IndexFault) {
      let problems = try SQLiteDatabase(path: path).selfCheck()
      if problems.isEmpty { return nil }
    } catch {
      guard error.callsForRebuild else { throw error }
    }
    var number = 1
    var name = ArchiveLocation.indexFile + ".set-aside"
    while access(folder + "/" + name, F_OK) == 0 {
      number += 1
      name = ArchiveLocation.indexFile + ".set-aside-\(number)"
    }
    for suffix in Self.suffixes {
      guard rename(path + suffix, folder + "/" + name + suffix) == 0 || errno == ENOENT else {
        throw .failed(AtomicFile.failure(path + suffix, errno).message)
      }
    }
    return name
  }

  /// Fills a new index beside the present one and puts it in its place.
  ///
  /// Until then everybody has the present one. A run that comes in meanwhile is added when the archive
  /// is opened next.
  static func replace(
    in folder: String, filling: (any RunIndex) throws(IndexFault) -> Void
  ) throws(IndexFault) {
    removeLeftovers(in: folder)
    let path = folder + "/." + ArchiveLocation.indexFile + ".\(getpid()).building"
    defer { for suffix in Self.suffixes { unlink(path + suffix) } }
    do {
      let database = try SQLiteDatabase(path: path)
      try filling(SQLRunIndex(database: database))
      try database.close()
    }
    let lock = try IndexLock(folder, .exclusive, patience: SQLiteDatabase.patience)
    defer { _ = lock }
    let target = folder + "/" + ArchiveLocation.indexFile
    // The log first: without its index it would be taken for the new one's.
    for suffix in Self.suffixes.reversed() {
      guard unlink(target + suffix) == 0 || errno == ENOENT else {
        throw .failed(AtomicFile.failure(target + suffix, errno).message)
      }
    }
    guard rename(path, target) == 0 else {
      throw .failed(AtomicFile.failure(target, errno).message)
    }
    Folder.sync(folder)
  }

  /// Removes what a process that was killed had begun to fill.
  private static func removeLeftovers(in folder: String) {
    let prefix = ".\(ArchiveLocation.indexFile)."
    for name in (try? Folder.names(in: folder, hidden: true)) ?? [] where name.hasPrefix(prefix) {
      let owner = name.dropFirst(prefix.count).prefix { $0 != "." }
      guard let process = pid_t(owner), process != getpid(), kill(process, 0) != 0, errno == ESRCH
      else { continue }
      unlink(folder + "/" + name)
    }
  }
}
