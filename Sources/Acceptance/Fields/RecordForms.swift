// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// A text that is not a run record: what is wrong, and where.
public typealias RunRecordError = JSONFieldError

extension JSONField.Schema {
  /// The schema of `record.json`.
  static let record = JSONField.Schema(name: "record")
}

extension JSONField {
  /// A whole number of a range.
  func integer(in range: ClosedRange<Int>) throws(RunRecordError) -> Int {
    let integer = try integer()
    try check(
      range.contains(integer),
      "is \(integer), but must be from \(range.lowerBound) to \(range.upperBound)")
    return integer
  }

  func integer(atLeast lowest: Int) throws(RunRecordError) -> Int {
    let integer = try integer()
    try check(integer >= lowest, "must be at least \(lowest)")
    return integer
  }

  /// A count of frames or the like: sums of a few of them stay numbers.
  func count() throws(RunRecordError) -> Int { try integer(in: 0...(1 << 40) - 1) }

  /// A number that is not negative.
  func size() throws(RunRecordError) -> Double {
    let number = try number()
    try check(number >= 0, "is \(number), but must be at least 0")
    return number
  }

  func positive() throws(RunRecordError) -> Double {
    let number = try number()
    try check(number > 0, "is \(number), but must be above 0")
    return number
  }
}

extension JSONForm<Double> {
  /// A number; one that is not finite, for which JSON has no word, is left out.
  package static var number: Self {
    Self({ field throws(RunRecordError) in try field.number() }, JSONValue.finite)
  }

  /// A number that is not negative.
  static var size: Self {
    Self({ field throws(RunRecordError) in try field.size() }, JSONValue.finite)
  }

  /// A factor of samples that are floats: what is multiplied by it stays one.
  static var scale: Self {
    Self.size.checked { field, number throws(RunRecordError) in
      try field.check(number <= 0x1p126, "is \(number), but must be at most 2^126")
    }
  }

  static var positive: Self {
    Self({ field throws(RunRecordError) in try field.positive() }, JSONValue.finite)
  }
}

extension JSONForm<Int> {
  static func integer(atLeast lowest: Int) -> Self {
    Self({ field throws(RunRecordError) in try field.integer(atLeast: lowest) }, JSONValue.integer)
  }

  static var count: Self {
    Self({ field throws(RunRecordError) in try field.count() }, JSONValue.integer)
  }
}

extension JSONForm<UInt64> {
  /// A whole number where every reader keeps its last digit, else its digits in a string.
  static var seed: Self {
    Self { field throws(RunRecordError) in
      if let integer = field.node.integer, let seed = UInt64(exactly: integer) { return seed }
      guard let text = field.node.string, let seed = UInt64(text) else {
        throw field.mismatch("a whole number from 0 to 2^64 - 1, as digits in a string beyond 2^53")
      }
      return seed
    } _: { seed in
      seed <= 1 << 53 ? .integer(Int(seed)) : .string(String(seed))
    }
  }
}

extension JSONForm where Value: LosslessStringConvertible & SendableMetatype {
  /// A value that is written as its description.
  static var described: Self {
    Self { field throws(RunRecordError) in
      let text = try field.string()
      guard let value = Value(text) else {
        throw field.error(
          "\(field.path) is '\(JSONField.shortened(text))', which is none that this version of haprig knows"
        )
      }
      return value
    } _: {
      .string($0.description)
    }
  }
}

extension JSONForm<JSONValue> {
  /// Whatever stands there.
  static var any: Self { Self(\.node.value, \.self) }
}

extension JSONForm<[String]> {
  /// Texts; no member where there are none.
  static var texts: Self { .list(.string).or([]) }
}

extension JSONValue {
  /// A number, or nothing for what JSON cannot say.
  static func finite(_ value: Double) -> JSONValue? { value.isFinite ? .number(value) : nil }
}
