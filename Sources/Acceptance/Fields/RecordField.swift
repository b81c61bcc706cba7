public import JSONText

/// A text that is not a run record: what is wrong, and where.
public typealias RunRecordError = JSONFieldError

/// A value of a record on its way in.
typealias RecordField = JSONField

extension JSONField.Schema {
  /// The schema of `record.json`.
  static let record = JSONField.Schema(name: "record")
}

extension JSONField {
  /// What an optional member holds; `nil` where it is absent.
  func member<Value>(
    _ key: String, _ read: (JSONField) throws(RunRecordError) -> Value
  ) throws(RunRecordError) -> Value? {
    guard let field = try member(key) else { return nil }
    return try read(field)
  }

  /// What each element of a list holds.
  func list<Element>(
    _ read: (JSONField) throws(RunRecordError) -> Element
  ) throws(RunRecordError) -> [Element] {
    var list: [Element] = []
    for element in try elements() { list.append(try read(element)) }
    return list
  }

  /// Plain values: `values(JSONField.number)`.
  func values<Element>(
    _ read: (JSONField) -> () throws(RunRecordError) -> Element
  ) throws(RunRecordError) -> [Element] {
    try list { field throws(RunRecordError) in try read(field)() }
  }

  /// Plain values under their names.
  func dictionary<Value>(
    of read: (JSONField) -> () throws(RunRecordError) -> Value
  ) throws(RunRecordError) -> [String: Value] {
    var dictionary: [String: Value] = [:]
    for (key, value) in try members() { dictionary[key] = try read(value)() }
    return dictionary
  }

  func strings() throws(RunRecordError) -> [String] { try values(JSONField.string) }

  func numbers() throws(RunRecordError) -> [Double] { try values(JSONField.number) }

  /// A whole number of a range.
  func integer(in range: ClosedRange<Int>) throws(RunRecordError) -> Int {
    let integer = try integer()
    guard range.contains(integer) else {
      throw error(
        "\(path) is \(integer), but must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// A count of frames or the like: sums of a few of them stay numbers.
  func count() throws(RunRecordError) -> Int { try integer(in: 0...(1 << 40) - 1) }

  /// A number that is not negative.
  func size() throws(RunRecordError) -> Double {
    let number = try number()
    guard number >= 0 else { throw error("\(path) is \(number), but must be at least 0") }
    return number
  }

  /// A value that is written as its description.
  func described<Value: LosslessStringConvertible>(
    _: Value.Type
  ) throws(RunRecordError) -> Value {
    let text = try string()
    guard let value = Value(text) else {
      throw error(
        "\(path) is '\(Self.shortened(text))', which is none that this version of haprig knows")
    }
    return value
  }

  /// A seed: a whole number, or its digits in a string where it is beyond 2^53.
  func seed() throws(RunRecordError) -> UInt64 {
    if let integer = node.integer, let seed = UInt64(exactly: integer) { return seed }
    guard let text = node.string, let seed = UInt64(text) else {
      throw mismatch("a whole number from 0 to 2^64 - 1, as digits in a string beyond 2^53")
    }
    return seed
  }
}

extension JSONValue {
  /// An object of the members that are there.
  static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }

  /// A number, or nothing for what JSON cannot say.
  static func finite(_ value: Double) -> JSONValue? { value.isFinite ? .number(value) : nil }

  /// Texts by name, in the order of the names: a dictionary's own order differs from run to run.
  static func strings(_ texts: [String: String]) -> JSONValue {
    .object(texts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) })
  }

  /// A list of texts, or nothing where it is empty.
  static func filled(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
  }

  /// A seed as a number where every reader keeps its last digit, else as a string of its digits.
  static func seed(_ seed: UInt64) -> JSONValue {
    seed <= 1 << 53 ? .integer(Int(seed)) : .string(String(seed))
  }
}
