/// The numbers of words of one table, `names` or `notes`, as far as they were asked for.
struct WordNumbers {
  let table: String
  private var numbers: [String: Int] = [:]
  /// How many are remembered; beyond, the memory begins anew.
  private static let capacity = 100_000

  init(table: String) { self.table = table }

  /// The number of a word that the index has; `nil` of any other.
  mutating func known(
    _ text: String, in connection: any IndexConnection
  ) throws(IndexFault) -> Int? {
    if let number = numbers[text] { return number }
    let number = try connection.integer("select id from \(table) where text = ?", [.text(text)])
    if let number { remember(text, number) }
    return number
  }

  /// The number of a word, which is added where it is new.
  mutating func number(
    of text: String, in connection: any IndexConnection
  ) throws(IndexFault) -> Int {
    if let number = try known(text, in: connection) { return number }
    let number = try connection.newIdentity(
      "insert into \(table) (text) values (?) returning id", [.text(text)])
    remember(text, number)
    return number
  }

  private mutating func remember(_ text: String, _ number: Int) {
    if numbers.count >= Self.capacity { numbers = [:] }
    numbers[text] = number
  }
}

/// The words of the table `names` by number, for answers.
struct WordTexts {
  private var texts: [Int: String] = [:]
  private var loaded = 0

  /// Reads the words that were added since the last time: numbers only grow.
  mutating func load(in connection: any IndexConnection) throws(IndexFault) {
    var found: [(Int, String)] = []
    try connection.rows("select id, text from names where id > ?", [.integer(loaded)]) { row in
      if let number = row.integer(0), let text = row.text(1) { found.append((number, text)) }
    }
    for (number, text) in found {
      texts[number] = text
      loaded = max(loaded, number)
    }
  }

  /// The word of a number; a question mark where nothing stands for it.
  subscript(number: Int?) -> String { number.flatMap { texts[$0] } ?? "?" }
}

extension IndexConnection {
  /// Runs a statement that adds a row and answers with its number.
  func newIdentity(_ sql: String, _ values: [SQLValue]) throws(IndexFault) -> Int {
    guard let number = try integer(sql, values) else {
      throw .failed("the database gave no number to a new row")
    }
    return number
  }
}
