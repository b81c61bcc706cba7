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
