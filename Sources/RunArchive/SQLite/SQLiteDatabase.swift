/// An index in one SQLite file with a write-ahead log: readers never wait, a process that is killed loses
/// at most its own open transaction, and two that write wait for each other.
final class SQLiteDatabase: IndexDatabase {
  let dialect = SQLDialect.sqlite
  private let connection: SQLiteConnection

  /// "HRig": says in the file's header whose it is.
  static let applicationID = 0x4852_6967

  /// How long a writer waits for another, in seconds.
  static let patience = 30.0

  /// Opens the file at a path and makes the tables where it is new.
  init(path: String) throws(IndexFault) {
    try Self.checkHeader(of: path)
    connection = try SQLiteConnection(path: path, patience: Self.patience)
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
      var found: [String] = []
      try connection.rows("pragma quick_check(10)", []) { row in
        if let problem = row.text(0), problem != "ok" { found.append(problem) }
      }
      return found
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
}
