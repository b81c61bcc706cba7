import GRDB
import Glibc

/// An index in one SQLite file with a write-ahead log: readers never wait, a process that is killed loses
/// at most its own open transaction, and two that write wait for each other.
final class SQLiteDatabase: IndexDatabase {
  let dialect = SQLDialect.sqlite
  private let queue: DatabaseQueue

  /// "HRig": says in the file's header whose it is.
  static let applicationID = 0x4852_6967

  /// How long a writer waits for another, in seconds.
  static let patience = 30.0

  /// Opens the file at a path and makes the tables where it is new.
  init(path: String) throws(IndexFault) {
    try Self.checkHeader(of: path)
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(Self.patience)
    // A year of 20 rigs is a gigabyte: what is looked at often stays in 64 MiB.
    configuration.prepareDatabase { try $0.execute(sql: "pragma cache_size = -65536") }
    queue = try Self.faults { try Self.opened(path, configuration) }
    try checkOwner()
  }

  func read<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    try Self.faults { try queue.read { try body(SQLiteConnection(database: $0)) } }
  }

  func write<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    // GRDB begins it as IMMEDIATE: the lock is waited for before anything is read.
    try Self.faults { try queue.write { try body(SQLiteConnection(database: $0)) } }
  }

  /// Writes the log into the file and closes both; nothing is asked of it afterwards.
  func close() throws(IndexFault) { try Self.faults { try queue.close() } }

  func analyze() throws(IndexFault) {
    try Self.faults { try queue.write { try $0.execute(sql: "pragma optimize = 0x10002") } }
  }

  func selfCheck() throws(IndexFault) -> [String] {
    try Self.faults {
      try queue.read { database in
        try String.fetchAll(database, sql: "pragma quick_check(10)").filter { $0 != "ok" }
      }
    }
  }

  /// A file that is being made or brought back by another process refuses for moments, whatever it was
  /// told to wait.
  private static func opened(_ path: String, _ configuration: Configuration) throws -> DatabaseQueue
  {
    let tries = 100
    var done = 0
    while true {
      done += 1
      do {
        return try DatabaseQueue(path: path, configuration: configuration)
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && done < tries
      {
        usleep(20_000)
      }
    }
  }

  /// Looks whose a file is before it is opened: opening for use would already write to it.
  private static func checkHeader(of path: String) throws(IndexFault) {
    let header: [UInt8]
    do throws(ArchiveError) {
      header = try StoredFile.beginning(path, count: 100) ?? []
    } catch {
      throw .failed(error.message)
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

  /// Runs a step and tells its errors by what can be done about them.
  private static func faults<Value>(_ body: () throws -> Value) throws(IndexFault) -> Value {
    do {
      return try body()
    } catch {
      throw translated(error)
    }
  }

  static func translated(_ error: any Error) -> IndexFault {
    if let fault = error as? IndexFault { return fault }
    guard let error = error as? DatabaseError else {
      return .failed("the index cannot be used: \(error)")
    }
    let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .damaged(reason)
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .busy
    case .SQLITE_FULL: return .failed("the disk is full: make room and try again")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
      return .failed(
        "the index cannot be opened or written (\(reason)): check the folder's permissions")
    case .SQLITE_ERROR where reason.contains("no such table") || reason.contains("no such column"):
      return .damaged(reason)
    default: return .failed("the index cannot be used: \(reason)")
    }
  }
}
