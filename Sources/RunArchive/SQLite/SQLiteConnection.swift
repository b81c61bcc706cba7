// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// How a database of SQLite is opened.
enum SQLiteOpening {
  /// The file at a path with a write-ahead log, made where there is none.
  case written(String)
  /// The file at a path, beside which nothing can be made. `hasLog`: it has a log, which is read with it.
  case read(String, hasLog: Bool)
  /// A database of this process alone, on the disk where it is large, that goes when it is closed.
  case own

  fileprivate var flags: Int32 {
    switch self {
    case .written, .own: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .read: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
  }

  fileprivate var name: String {
    switch self {
    case .written(let path): path
    case .own: ""
    case .read(let path, let hasLog):
      // A file without a log is complete, and read as one that nobody changes; whether that was so, who asked looks
      // at afterwards. A log is found by the memory that its writers share, which is not made here: it would be the
      // reader's, and shut them out.
      "file:" + Self.escaped(path) + (hasLog ? "?mode=ro&readonly_shm=1" : "?mode=ro&immutable=1")
    }
  }

  /// A path as a URI has it.
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }.joined()
  }
}

/// An open SQLite file with the statements that were prepared for it, for one thread at a time.
final class SQLiteConnection: IndexConnection {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  private var isOpen = true

  /// How often an opening is tried again, and after how many microseconds.
  ///
  /// A file that is being made or brought back by another process refuses for moments, whatever it was
  /// told to wait.
  private static let tries = 100
  private static let pause: UInt32 = 20_000

  /// Opens a database in some way; a lock is waited for as many seconds as its patience is.
  init(_ opening: SQLiteOpening, patience: Double) throws(IndexFault) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      opening.name, &opened, opening.flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw .failed("the index cannot be opened: no memory") }
    handle = opened
    guard code == SQLITE_OK else { throw fault(code) }
    sqlite3_busy_timeout(handle, Int32(patience * 1000))
    guard case .written = opening else { return }
    var tried = 1
    while true {
      do throws(IndexFault) {
        try useLog()
        return
      } catch {
        guard error == .busy, tried < Self.tries else { throw error }
      }
      tried += 1
      usleep(Self.pause)
    }
  }

  private func useLog() throws(IndexFault) {
    var mode: String?
    try rows("pragma journal_mode = wal", []) { mode = $0.text(0) }
    guard mode == "wal" else {
      throw .failed("the index cannot have a write-ahead log: put the archive on a local disk")
    }
    // A log that a power failure cuts short loses its last transactions and harms no page.
    try execute("pragma synchronous = normal")
  }

  deinit { if isOpen { _ = end() } }

  /// Writes the log into the file and closes both; nothing may be asked afterwards.
  func close() throws(IndexFault) {
    let code = end()
    guard code == SQLITE_OK else { throw fault(code) }
    isOpen = false
  }

  private func end() -> Int32 {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    return sqlite3_close(handle)
  }

  /// Runs a body between a statement that begins a transaction and its end, or leaves everything as it was.
  func transaction<Value>(
    _ begin: String, _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    try execute(begin)
    do throws(IndexFault) {
      let value = try body(self)
      try execute("commit")
      return value
    } catch {
      // SQLite itself takes some back: of a full disk, say.
      if sqlite3_get_autocommit(handle) == 0 { try execute("rollback") }
      throw error
    }
  }

  func execute(_ sql: String, _ values: [SQLValue]) throws(IndexFault) {
    try rows(sql, values) { _ in }
  }

  func rows(
    _ sql: String, _ values: [SQLValue], _ body: (any IndexRow) -> Void
  ) throws(IndexFault) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    guard Int(sqlite3_bind_parameter_count(statement)) == values.count else {
      throw .failed("a statement has other values than places for them: \(sql)")
    }
    for (index, value) in values.enumerated() {
      let code = value.bind(to: statement, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw fault(code) }
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw fault(code) }
      body(SQLiteRow(statement: statement))
    }
  }

  private func prepared(_ sql: String) throws(IndexFault) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw fault(code) }
    statements[sql] = statement
    return statement
  }

  /// An error by what can be done about it.
  private func fault(_ code: Int32) -> IndexFault {
    let reason = String(cString: sqlite3_errmsg(handle))
    // The low byte is the kind; the others say where it happened.
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(reason)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case SQLITE_FULL: return .full("the disk is full: make room and try again")
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN:
      return .failed(
        "the index cannot be opened or written (\(reason)): check the folder's permissions")
    case SQLITE_ERROR where reason.contains("no such table") || reason.contains("no such column"):
      return .damaged(reason)
    default: return .failed("the index cannot be used: \(reason)")
    }
  }
}

/// The row that a statement stands on.
private struct SQLiteRow: IndexRow {
  let statement: OpaquePointer

  func integer(_ column: Int) -> Int? {
    isNull(column) ? nil : Int(sqlite3_column_int64(statement, Int32(column)))
  }

  func number(_ column: Int) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(statement, Int32(column))
  }

  func text(_ column: Int) -> String? {
    sqlite3_column_text(statement, Int32(column)).map { String(cString: $0) }
  }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
  }
}

extension SQLValue {
  /// Says to SQLite that it has to copy a text, as `SQLITE_TRANSIENT` in C.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  fileprivate func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
    switch self {
    case .null: sqlite3_bind_null(statement, place)
    case .integer(let value): sqlite3_bind_int64(statement, place, Int64(value))
    case .number(let value): sqlite3_bind_double(statement, place, value)
    case .text(let value): sqlite3_bind_text(statement, place, value, -1, Self.copied)
    }
  }
}
