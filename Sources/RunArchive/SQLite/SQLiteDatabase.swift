// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An index in one SQLite file with a write-ahead log: readers never wait, a process that is killed loses
/// at most its own open transaction, and two that write wait for each other.
final class SQLiteDatabase: IndexDatabase {
  let dialect = SQLDialect.sqlite
  private let connection: SQLiteConnection

  /// "HRig": says in the file's header whose it is.
  static let applicationID = 0x4852_6967

  /// How long a writer waits for another, in seconds.
  static let patience = 30.0

  /// Opens a database and makes the tables where it is new.
  init(_ opening: SQLiteOpening) throws(IndexFault) {
    switch opening {
    case .written(let path), .read(let path, _): try Self.checkHeader(of: path)
    case .own: break
    }
    connection = try SQLiteConnection(opening, patience: Self.patience)
    // A year of 20 rigs is a gigabyte: what is looked at often stays in 64 MiB.
    try connection.execute("pragma cache_size = -65536")
    try checkOwner()
  }

  func read<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    try connection.transaction("begin", body)
  }

  func write<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    // The lock is waited for before anything is read.
    try connection.transaction("begin immediate", body)
  }

  /// Writes the log into the file and closes both; nothing is asked of it afterwards.
  func close() throws(IndexFault) { try connection.close() }

  func analyze() throws(IndexFault) { try connection.execute("pragma optimize = 0x10002") }

  func selfCheck() throws(IndexFault) -> [String] {
    try read { connection throws(IndexFault) in
      try connection.list("pragma quick_check(10)", []) { $0.text(0) }.filter { $0 != "ok" }
    }
  }

  /// Looks whose a file is before it is opened: opening for use would already write to it.
  private static func checkHeader(of path: String) throws(IndexFault) {
    let header: [UInt8]
    do throws(ArchiveError) {
      header = try StoredFile.beginning(path, count: 100) ?? []
    } catch {
      throw IndexFault(error)
    }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8) else { return }
    let owner = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
    let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    // An index whose making was cut short has no id yet, and one page: its tables come with the id.
    guard owner == applicationID || (owner == 0 && pages <= 1) else { throw .foreign }
  }

  private func checkOwner() throws(IndexFault) {
    let owner = try read { connection throws(IndexFault) in
      (
        id: try connection.integer("pragma application_id"),
        tables: try connection.integer("select count(*) from sqlite_schema"),
        schema: try connection.integer("pragma user_version")
      )
    }
    if owner.id == 0, owner.tables == 0 {
      try write { connection throws(IndexFault) in
        // Another process may have been quicker.
        guard try connection.integer("select count(*) from sqlite_schema") == 0 else { return }
        for statement in IndexSchema.statements(dialect) { try connection.execute(statement) }
        try connection.execute("pragma application_id = \(Self.applicationID)")
        try connection.execute("pragma user_version = \(IndexSchema.version)")
      }
      return
    }
    guard owner.id == Self.applicationID else { throw .foreign }
    guard owner.schema == IndexSchema.version else { throw .otherSchema(found: owner.schema ?? 0) }
  }
}

/// The index's file with the log beside it, used by many processes and replaced by one at a time.
final class SQLiteFile {
  let database: SQLiteDatabase
  /// Whether this user may only read the index.
  let isReadOnly: Bool
  private let lock: IndexLock
  private let path: String
  /// The file as it was before it was opened without a log, when it is to stay the same.
  private let stamp: Stamp?

  private static let suffixes = ["", "-wal", "-shm"]

  init(folder: String) throws(IndexFault) {
    path = folder + "/" + ArchiveLocation.indexFile
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw .failed("\(ArchiveLocation.indexFile) in it is no regular file: move it away")
    }
    lock = try IndexLock(folder, .shared, patience: SQLiteDatabase.patience)
    isReadOnly = !Self.canBeWritten(in: folder)
    guard isReadOnly else {
      stamp = nil
      database = try SQLiteDatabase(.written(path))
      return
    }
    let hasLog = access(path + "-wal", F_OK) == 0
    stamp = hasLog ? nil : Stamp(path)
    database = try SQLiteDatabase(.read(path, hasLog: hasLog))
  }

  /// Whether this user may write an index into a folder, and the one that is there.
  static func canBeWritten(in folder: String) -> Bool {
    let path = folder + "/" + ArchiveLocation.indexFile
    return access(folder, W_OK) == 0
      && suffixes.allSatisfy { access(path + $0, F_OK) != 0 || access(path + $0, W_OK) == 0 }
  }

  /// Whether the file was changed while it was read as one that nobody changes: what it said may be of two states.
  var hasMoved: Bool { stamp.map { $0 != Stamp(path) } ?? false }

  /// Whether more is known by now than a file says that is read as one that nobody changes.
  var isOutdated: Bool { stamp != nil && (hasMoved || access(path + "-wal", F_OK) == 0) }

  private struct Stamp: Equatable {
    private let node: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (node, size) = (UInt(status.st_ino), Int(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// Moves an index that nothing can be done with to another name, which it gives; `nil` where another process
  /// did already and the index is in order again.
  static func setAside(in folder: String) throws(IndexFault) -> String? {
    let lock = try IndexLock(folder, .exclusive, patience: SQLiteDatabase.patience)
    defer { _ = lock }
    let path = folder + "/" + ArchiveLocation.indexFile
    do throws(IndexFault) {
      let problems = try SQLiteDatabase(.written(path)).selfCheck()
      if problems.isEmpty { return nil }
    } catch {
      guard error.callsForRebuild else { throw error }
    }
    let name = Folder.numbered(ArchiveLocation.indexFile + ".set-aside") {
      access(folder + "/" + $0, F_OK) != 0
    }
    for suffix in Self.suffixes {
      guard rename(path + suffix, folder + "/" + name + suffix) == 0 || errno == ENOENT else {
        throw IndexFault(AtomicFile.failure(path + suffix, errno))
      }
    }
    return name
  }

  /// Fills a new index beside the present one and puts it in its place.
  ///
  /// Until then everybody has the present one. A run that comes in meanwhile is added when the archive
  /// is opened next.
  static func replace(
    in folder: String, filling: (RunIndex) throws(IndexFault) -> Void
  ) throws(IndexFault) {
    removeLeftovers(in: folder)
    let path = folder + "/." + ArchiveLocation.indexFile + ".\(getpid()).building"
    defer { for suffix in Self.suffixes { unlink(path + suffix) } }
    do {
      let database = try SQLiteDatabase(.written(path))
      try filling(RunIndex(database: database))
      try database.close()
    }
    let lock = try IndexLock(folder, .exclusive, patience: SQLiteDatabase.patience)
    defer { _ = lock }
    let target = folder + "/" + ArchiveLocation.indexFile
    // The log first: without its index it would be taken for the new one's.
    for suffix in Self.suffixes.reversed() {
      guard unlink(target + suffix) == 0 || errno == ENOENT else {
        throw IndexFault(AtomicFile.failure(target + suffix, errno))
      }
    }
    guard rename(path, target) == 0 else {
      throw IndexFault(AtomicFile.failure(target, errno))
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

/// A lock on a folder by which processes agree who may replace the index in it.
///
/// The kernel lets go of it when its process ends, however it ends.
struct IndexLock: ~Copyable {
  enum Kind {
    /// Whoever uses the index.
    case shared
    /// Whoever puts another file in its place.
    case exclusive
  }

  private let descriptor: Int32

  /// Takes the lock, waiting for others up to `patience` seconds.
  init(_ folder: String, _ kind: Kind, patience: Double) throws(IndexFault) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw IndexFault(AtomicFile.failure(folder, errno))
    }
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    var waited = 0.0
    while flock(descriptor, operation) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        throw .failed("the folder cannot be locked: \(reason)")
      }
      guard waited < patience else {
        close(descriptor)
        throw .busy
      }
      usleep(20_000)
      waited += 0.02
    }
    self.descriptor = descriptor
  }

  deinit { HeldLock.release(descriptor) }
}
