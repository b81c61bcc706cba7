import JSONText

/// A value of a record on its way in.
typealias RecordField = JSONField

extension JSONField.Schema {
  /// The schema of `record.json`.
  static let record = JSONField.Schema(name: "record")
}

extension JSONField {
  func strings() throws(RunRecordError) -> [String] {
    var strings: [String] = []
    for element in try elements() { strings.append(try element.string()) }
    return strings
  }

  func readingName() throws(RunRecordError) -> ReadingName {
    let text = try string()
    guard let name = ReadingName(text) else {
      throw error("\(path) is '\(text)', which is no reading that this version of haprig knows")
    }
    return name
  }

  func integers() throws(RunRecordError) -> [Int] {
    var integers: [Int] = []
    for element in try elements() { integers.append(try element.integer()) }
    return integers
  }

  func numbers() throws(RunRecordError) -> [Double] {
    var numbers: [Double] = []
    for element in try elements() { numbers.append(try element.number()) }
    return numbers
  }

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
