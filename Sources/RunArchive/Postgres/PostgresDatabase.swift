// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An index in the schema `haprig` of a PostgreSQL database.
final class PostgresDatabase: IndexDatabase {
  let dialect = SQLDialect.postgres
  private let library: PostgresLibrary
  private let location: String
  private var connection: PostgresConnection?

  /// Under this number the writers of an archive wait for each other.
  private static let lock = 0x4852_6967

  /// How often a transaction is tried that the server ended.
  private static let tries = 5

  /// Connects and makes the tables where the database has none.
  init(location: String) throws(IndexFault) {
    self.location = location
    library = try PostgresLibrary()
    if try schema() == nil { try makeTables(dropping: false) }
    guard let found = try schema() else { throw .foreign }
    guard found == IndexSchema.version else { throw .otherSchema(found: found) }
  }

  /// Makes the tables anew in a database whose tables are of another version.
  static func rebuildTables(location: String) throws(IndexFault) {
    let database = try PostgresDatabase(unchecked: location)
    try database.makeTables(dropping: true)
  }

  private init(unchecked location: String) throws(IndexFault) {
    self.location = location
    library = try PostgresLibrary()
  }

  func read<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    try transaction("begin isolation level repeatable read, read only", body)
  }

  func write<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    try transaction("begin") { connection throws(IndexFault) in
      try connection.execute("select pg_advisory_xact_lock(\(Self.lock))")
      return try body(connection)
    }
  }

  func analyze() throws(IndexFault) {
    let connection = try connected()
    for table in IndexSchema.tables { try connection.execute("vacuum (analyze) \(table)") }
  }

  func selfCheck() throws(IndexFault) -> [String] {
    // The server keeps checksums of its own; whether every table can be read to its end is asked here.
    try read { connection throws(IndexFault) in
      for table in IndexSchema.tables {
        _ = try connection.integer("select count(*) from \(table)")
      }
      return []
    }
  }

  /// The version of the tables; `nil` where there are none.
  private func schema() throws(IndexFault) -> Int? {
    try read { connection throws(IndexFault) in
      guard try connection.integer("select 1 where to_regclass('haprig.meta') is not null") != nil
      else { return nil }
      return try connection.integer("select value::integer from meta where key = 'schema'")
    }
  }

  private func makeTables(dropping: Bool) throws(IndexFault) {
    try write { connection throws(IndexFault) in
      if dropping {
        for table in IndexSchema.tables {
          try connection.execute("drop table if exists haprig.\(table)")
        }
      }
      try connection.execute("create schema if not exists haprig")
      // Another process may have been quicker.
      guard try connection.integer("select 1 where to_regclass('haprig.meta') is null") != nil
      else { return }
      for statement in IndexSchema.statements(dialect) { try connection.execute(statement) }
    }
  }

  private func connected() throws(IndexFault) -> PostgresConnection {
    if let connection { return connection }
    let made = try PostgresConnection(location: location, library: library)
    connection = made
    return made
  }

  /// Runs a transaction, and again where the server asks for that.
  ///
  /// It restarted, or two stood in each other's way. What is written twice is written over.
  private func transaction<Value>(
    _ begin: String, _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    var tried = 0
    while true {
      tried += 1
      do throws(IndexFault) {
        let connection = try connected()
        do throws(IndexFault) {
          try connection.execute(begin)
          let value = try body(connection)
          try connection.execute("commit")
          return value
        } catch {
          // A connection that does not take this back is of no more use.
          do throws(IndexFault) {
            try connection.execute("rollback")
          } catch {
            self.connection = nil
          }
          throw error
        }
      } catch {
        guard case .interrupted = error, tried < Self.tries else { throw error }
        usleep(useconds_t(50_000 << tried))
      }
    }
  }
}

/// One connection to a PostgreSQL server; it ends with the value that holds it.
final class PostgresConnection: IndexConnection {
  private let library: PostgresLibrary
  private let handle: OpaquePointer

  /// Connects: `location` is what libpq takes, a URI or `key=value` pairs.
  init(location: String, library: PostgresLibrary) throws(IndexFault) {
    self.library = library
    // What the location says comes later and counts.
    let settings = [
      ("connect_timeout", "10"), ("application_name", "haprig"), ("client_encoding", "UTF8"),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "20000"), ("dbname", location),
    ]
    let handle = Self.withTexts(settings.map { $0.0 }) { keys in
      Self.withTexts(settings.map { $0.1 }) { values in library.connect(keys, values, 1) }
    }
    guard let handle else { throw .failed("libpq has no memory for a connection") }
    guard library.status(handle) == 0 else {
      let reason = Self.sentence(library.message(handle))
      library.finish(handle)
      throw .failed("the server cannot be reached: \(reason)")
    }
    self.handle = handle
    // Notices ("relation already exists") are no business of whoever watches standard error.
    _ = library.setNoticeProcessor(handle, ignoreNotice, nil)
    try execute(Self.session, [])
  }

  deinit { library.finish(handle) }

  /// Where our tables are, and how long the server waits for us while we have a transaction, and so the lock that all writers
  /// wait for.
  ///
  /// Of a client that lost its power or its network it would hear nothing, and keep the lock for the two hours after which TCP
  /// asks. What a server does not know yet is left out.
  private static let session = """
    select set_config(wished.name, wished.value, false) from (values
    ('search_path', 'haprig'), ('idle_in_transaction_session_timeout', '60s'), ('client_connection_check_interval', '5s'),
    ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
    ('tcp_user_timeout', '20s')) as wished (name, value)
    where wished.name in (select name from pg_settings)
    """

  func execute(_ sql: String, _ values: [SQLValue]) throws(IndexFault) {
    library.clear(try run(sql, values))
  }

  func rows(
    _ sql: String, _ values: [SQLValue], _ body: (any IndexRow) -> Void
  ) throws(IndexFault) {
    let answer = try run(sql, values)
    defer { library.clear(answer) }
    for row in 0..<library.rows(answer) {
      body(PostgresRow(library: library, answer: answer, row: row))
    }
  }

  /// Runs a statement and gives its answer, which the caller clears.
  private func run(_ sql: String, _ values: [SQLValue]) throws(IndexFault) -> OpaquePointer {
    let answer = Self.withTexts(values.map(\.wireText)) { texts in
      library.execute(handle, Self.numbered(sql), Int32(values.count), nil, texts, nil, nil, 0)
    }
    guard let answer else { throw .interrupted(Self.sentence(library.message(handle))) }
    let outcome = library.outcome(answer)
    guard outcome == 1 || outcome == 2 else {
      let fault = fault(of: answer)
      library.clear(answer)
      throw fault
    }
    return answer
  }

  /// An error by its SQLSTATE, whose first two characters are its class.
  private func fault(of answer: OpaquePointer) -> IndexFault {
    let state = library.errorField(answer, 0x43).map { String(cString: $0) } ?? ""
    let reason = Self.sentence(library.errorField(answer, 0x4D) ?? library.message(handle))
    if library.status(handle) != 0 { return .interrupted(reason) }
    switch state.prefix(2) {
    case "08", "40", "57": return .interrupted(reason)
    case "55": return .busy
    case "XX": return .damaged(reason)
    case "53": return .full("the server has no room: \(reason)")
    default: return .failed("the database refused a statement (\(state)): \(reason)")
    }
  }

  /// Numbers the places for values as PostgreSQL has them, `$1` and so on.
  ///
  /// No text of ours has a question mark in quotes.
  static func numbered(_ sql: String) -> String {
    var text = ""
    var number = 0
    for character in sql {
      if character == "?" {
        number += 1
        text += "$\(number)"
      } else {
        text.append(character)
      }
    }
    return text
  }

  /// The first line of what libpq says.
  private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
    let lines = text.map { String(cString: $0).split(separator: "\n") } ?? []
    return lines.first.map(String.init) ?? "no reason was given"
  }

  /// Lends texts as an array of C strings that ends with a null, null for `nil`.
  private static func withTexts<Value>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    var bytes: [CChar] = []
    var starts: [Int?] = []
    for text in texts {
      starts.append(text == nil ? nil : bytes.count)
      if let text { bytes += text.utf8CString }
    }
    return bytes.withUnsafeBufferPointer { buffer in
      let pointers = starts.map { start in
        start.flatMap { start in buffer.baseAddress.map { $0 + start } }
      }
      return (pointers + [nil]).withUnsafeBufferPointer { list in
        // The list has the null at least, so it has an address.
        list.baseAddress.map(body) ?? withUnsafePointer(to: nil, body)
      }
    }
  }
}

/// A function outside any type: libpq keeps its address.
private func ignoreNotice(_: UnsafeMutableRawPointer?, _: UnsafePointer<CChar>?) {}

/// A row of an answer in text form.
private struct PostgresRow: IndexRow {
  let library: PostgresLibrary
  let answer: OpaquePointer
  let row: Int32

  func integer(_ column: Int) -> Int? { field(column).map { strtol($0, nil, 10) } }
  func number(_ column: Int) -> Double? { field(column).map { strtod($0, nil) } }
  func text(_ column: Int) -> String? { field(column).map { String(cString: $0) } }

  private func field(_ column: Int) -> UnsafePointer<CChar>? {
    guard library.isNull(answer, row, Int32(column)) == 0 else { return nil }
    return library.value(answer, row, Int32(column))
  }
}

extension SQLValue {
  /// The value as PostgreSQL reads it, every digit kept.
  fileprivate var wireText: String? {
    switch self {
    case .null: nil
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .text(let value): value
    }
  }
}
