/// The index in a database of SQL: one text for SQLite and PostgreSQL.
final class SQLRunIndex: RunIndex {
  let database: any IndexDatabase
  var texts = WordTexts()
  var memory = Memory()

  /// The numbers that were looked up, valid as long as what was added with them is.
  struct Memory {
    var names = WordNumbers(table: "names")
    var notes = WordNumbers(table: "notes")
    var series: [SeriesIdentity: Int] = [:]
  }

  struct SeriesIdentity: Hashable {
    let rig: Int
    let plan: Int
    let actuator: Int
    let quantity: RunEntry.Quantity
  }

  init(database: any IndexDatabase) { self.database = database }

  func finishRebuild() throws(IndexFault) { try database.analyze() }

  func selfCheck() throws(IndexFault) -> [String] { try database.selfCheck() }

  func insert(_ entries: [RunEntry], in place: String) throws(IndexFault) {
    let before = memory
    memory = try database.write { connection throws(IndexFault) in
      // Numbers of a transaction that is run again were never given.
      var insertion = RunInsertion(memory: before, connection: connection)
      for entry in entries { try insertion.insert(entry, in: place) }
      try insertion.finish()
      return insertion.memory
    }
  }

  func remove(_ ids: [String], in place: String) throws(IndexFault) {
    let before = memory
    memory = try database.write { connection throws(IndexFault) in
      var insertion = RunInsertion(memory: before, connection: connection)
      for id in ids { try insertion.remove(id, in: place) }
      try insertion.finish()
      return insertion.memory
    }
  }

  func ids(in place: String) throws(IndexFault) -> Set<String> {
    try database.read { connection throws(IndexFault) in
      var ids: Set<String> = []
      try connection.rows(
        "select folder from runs where place = (select id from names where text = ?)",
        [.text(place)]
      ) { row in
        if let folder = row.text(0) { ids.insert(folder) }
      }
      return ids
    }
  }

  func hashes(in place: String) throws(IndexFault) -> [String: String] {
    try database.read { connection throws(IndexFault) in
      var hashes: [String: String] = [:]
      try connection.rows(
        "select folder, hash from runs where place = (select id from names where text = ?)",
        [.text(place)]
      ) { row in
        if let folder = row.text(0) { hashes[folder] = row.text(1) ?? "" }
      }
      return hashes
    }
  }
}
