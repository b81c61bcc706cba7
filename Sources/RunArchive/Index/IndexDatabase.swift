/// One row of an answer, valid until the next is asked for; columns count from 0.
protocol IndexRow {
  func integer(_ column: Int) -> Int?
  func number(_ column: Int) -> Double?
  func text(_ column: Int) -> String?
}

/// A database inside a transaction.
protocol IndexConnection {
  /// Runs a statement; a question mark stands for each value.
  func execute(_ sql: String, _ values: [SQLValue]) throws(IndexFault)

  /// Runs a query and hands over its rows one by one.
  func rows(
    _ sql: String, _ values: [SQLValue], _ body: (any IndexRow) -> Void
  ) throws(IndexFault)
}

extension IndexConnection {
  func execute(_ sql: String) throws(IndexFault) { try execute(sql, []) }

  /// The first column of the first row.
  func integer(_ sql: String, _ values: [SQLValue] = []) throws(IndexFault) -> Int? {
    var found: Int?
    try rows(sql, values) { if found == nil { found = $0.integer(0) } }
    return found
  }
}

/// A database that an index lies in: SQLite or PostgreSQL.
protocol IndexDatabase: AnyObject {
  /// What its SQL differs in.
  var dialect: SQLDialect { get }

  /// Runs queries on one state of the data.
  func read<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value

  /// Runs statements that take effect together or not at all, one writer at a time.
  ///
  /// The body may be run again from its beginning where the database asks for that.
  func write<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value

  /// Tells the database's planner how much there is of what, after much was written.
  func analyze() throws(IndexFault)

  /// What the database itself finds wrong with its pages: nothing where all is well.
  func selfCheck() throws(IndexFault) -> [String]
}
