import GRDB
import GRDBSQLite

/// A SQLite database inside a transaction of GRDB's.
///
/// GRDB prepares and keeps the statements; values go in and out by SQLite's own calls, which refuse no type
/// and are ten times as quick for the millions of small rows here.
struct SQLiteConnection: IndexConnection {
  let database: Database

  func execute(_ sql: String, _ values: [SQLValue]) throws(IndexFault) {
    try rows(sql, values) { _ in }
  }

  func rows(
    _ sql: String, _ values: [SQLValue], _ body: (any IndexRow) -> Void
  ) throws(IndexFault) {
    let statement: OpaquePointer
    do {
      statement = try database.cachedStatement(sql: sql).sqliteStatement
    } catch {
      throw SQLiteDatabase.translated(error)
    }
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

  private func fault(_ code: Int32) -> IndexFault {
    let message = sqlite3_errmsg(database.sqliteConnection).map { String(cString: $0) }
    return SQLiteDatabase.translated(
      DatabaseError(resultCode: ResultCode(rawValue: code), message: message))
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
