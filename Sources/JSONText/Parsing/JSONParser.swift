/// Turns text into records in one pass, with the open containers on a stack of its own.
///
/// The stages: `parse` walks values and separators; `string` (with `escape` and `scalarLength`)
/// checks a string without decoding it; `number` checks and converts one; `close` finishes a
/// container and looks for duplicate keys.
struct JSONParser: ~Copyable {
  struct Outcome {
    var records: [JSONRecord]
    var trailingCommas: [Int]
    var duplicateKeys: [Int]
  }

  struct OpenContainer {
    var index: Int
    var count: Int
    /// How many entries of `keys` belong to the containers outside this one.
    var outerKeys: Int
    var isObject: Bool
  }

  /// The text, followed by `JSONStorage.padding` zero bytes.
  let base: UnsafeRawPointer
  let end: Int
  let options: JSONOptions
  var at: Int
  var records: [JSONRecord] = []
  var open: [OpenContainer] = []
  /// The record indices of the keys of all open objects, the innermost last.
  var keys: [Int] = []
  var trailingCommas: [Int] = []
  var duplicateKeys: [Int] = []

  init(base: UnsafeRawPointer, start: Int, end: Int, options: JSONOptions) {
    self.base = base
    self.end = end
    self.options = options
    at = start
    records.reserveCapacity(end / 24)
  }

  @inline(__always)
  func byte(_ offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

  @inline(__always)
  func word(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func parse() throws(JSONFault) -> Outcome {
    try refuseUTF16()
    skipSpace()
    guard at < end else {
      throw JSONFault(.emptyInput, at: at, "the text is empty; a JSON value was expected")
    }
    while true {
      try parseValueOrOpening()
      if try finishValue() { break }
    }
    skipSpace()
    guard at == end else { throw unexpected(.textAfterEnd, expected: "the end of the text") }
    return Outcome(
      records: records, trailingCommas: trailingCommas, duplicateKeys: duplicateKeys)
  }

  /// Reads a scalar, an empty container, or openings down to the first scalar or empty container.
  private mutating func parseValueOrOpening() throws(JSONFault) {
    while true {
      switch byte(at) {
      case UInt8(ascii: "{"):
        try push(isObject: true)
        if byte(at) == UInt8(ascii: "}") { return close() }
        try key()
      case UInt8(ascii: "["):
        try push(isObject: false)
        if byte(at) == UInt8(ascii: "]") { return close() }
      case UInt8(ascii: "\""): return try string()
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return try number()
      default: return try literal()
      }
      open[open.count &- 1].count &+= 1
    }
  }

  /// Closes what ends after a value and steps over a comma; true at the end of the outermost value.
  private mutating func finishValue() throws(JSONFault) -> Bool {
    while let container = open.last {
      skipSpace()
      let closing = container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
      let found = byte(at)
      if found == closing {
        close()
        continue
      }
      guard found == UInt8(ascii: ",") else {
        let bracket = container.isObject ? "'}'" : "']'"
        throw unexpected(.unexpectedCharacter, expected: "',' or \(bracket)")
      }
      let comma = at
      at &+= 1
      skipSpace()
      if byte(at) == closing {
        guard options.allowsTrailingCommas else {
          throw JSONFault(
            .trailingComma, at: comma, "a comma must not stand before a closing bracket; remove it")
        }
        trailingCommas.append(comma)
        close()
        continue
      }
      if container.isObject { try key() }
      open[open.count &- 1].count &+= 1
      return false
    }
    return true
  }

  private mutating func push(isObject: Bool) throws(JSONFault) {
    guard open.count < options.nestingLimit else {
      throw JSONFault(
        .nestingTooDeep, at: at,
        "arrays and objects are nested more than \(options.nestingLimit) deep")
    }
    open.append(
      OpenContainer(index: records.count, count: 0, outerKeys: keys.count, isObject: isObject))
    records.append(JSONRecord(kind: isObject ? .object : .array, offset: at))
    at &+= 1
    skipSpace()
  }

  /// Steps over the closing bracket and completes the container's record.
  private mutating func close() {
    at &+= 1
    guard let container = open.popLast() else { return }
    records[container.index].payload =
      UInt64(records.count) << 32 | UInt64(truncatingIfNeeded: container.count)
    guard container.isObject else { return }
    if container.count > 1 { findDuplicates(from: container.outerKeys) }
    while keys.count > container.outerKeys { keys.removeLast() }
  }

  /// Reads a key and its colon, up to the start of the value.
  private mutating func key() throws(JSONFault) {
    guard byte(at) == UInt8(ascii: "\"") else {
      throw unexpected(.unexpectedCharacter, expected: "a key in double quotes")
    }
    keys.append(records.count)
    try string()
    skipSpace()
    guard byte(at) == UInt8(ascii: ":") else {
      throw unexpected(.unexpectedCharacter, expected: "':' after a key")
    }
    at &+= 1
    skipSpace()
  }

  private mutating func literal() throws(JSONFault) {
    if isWord("true") {
      records.append(JSONRecord(kind: .bool, offset: at, mark: true))
      at &+= 4
    } else if isWord("false") {
      records.append(JSONRecord(kind: .bool, offset: at))
      at &+= 5
    } else if isWord("null") {
      records.append(JSONRecord(kind: .null, offset: at))
      at &+= 4
    } else {
      throw unexpected(.unexpectedCharacter, expected: "a value")
    }
  }

  /// Tells whether a word stands here and ends where it should.
  func isWord(_ word: StaticString, at offset: Int? = nil) -> Bool {
    let start = offset ?? at
    let length = word.utf8CodeUnitCount
    guard end &- start >= length, areEqual(base + start, word.utf8Start, length) else {
      return false
    }
    return !isWordByte(byte(start &+ length))
  }

  func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Steps over white space, runs of blanks eight at a time.
  @inline(__always)
  mutating func skipSpace() {
    while true {
      switch byte(at) {
      case 0x20:
        at &+= 1
        while true {
          let difference = word(at) ^ 0x2020_2020_2020_2020
          guard difference == 0 else {
            at &+= difference.trailingZeroBitCount &>> 3
            break
          }
          at &+= 8
        }
      case 0x0A, 0x0D, 0x09: at &+= 1
      default: return
      }
    }
  }
}
