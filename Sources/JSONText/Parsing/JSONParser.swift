// SPDX-License-Identifier: Apache-2.0

/// How a JSON text is read.
public struct JSONOptions: Sendable, Hashable {
  /// The deepest nesting that any options allow.
  public static let deepestNesting = 1024

  /// Whether one comma may stand before a closing bracket.
  public var allowsTrailingCommas: Bool
  /// How many arrays and objects may lie inside each other, at most ``deepestNesting``.
  public var nestingLimit: Int {
    didSet { nestingLimit = Self.clamped(nestingLimit) }
  }

  /// Creates options; a nesting limit outside 1 to ``deepestNesting`` is moved to the nearer end.
  ///
  /// The upper bound keeps what walks over a value recursively, such as printing, within any stack.
  public init(allowsTrailingCommas: Bool = false, nestingLimit: Int = 512) {
    self.allowsTrailingCommas = allowsTrailingCommas
    self.nestingLimit = Self.clamped(nestingLimit)
  }

  /// Exactly what RFC 8259 allows.
  public static let strict = Self()
  /// RFC 8259 with trailing commas.
  public static let lenient = Self(allowsTrailingCommas: true)

  private static func clamped(_ limit: Int) -> Int { min(max(limit, 1), deepestNesting) }
}

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
    var hasByteOrderMark: Bool
  }

  struct OpenContainer {
    var index: Int
    var count = 0
    var isObject: Bool
  }

  /// The start of the text, which outlives the parser.
  let base: UnsafeRawPointer
  let end: Int
  let options: JSONOptions
  var at = 0
  var records: [JSONRecord] = []
  /// The innermost open container; what it is while none is open means nothing.
  var innermost = OpenContainer(index: 0, isObject: false)
  /// What stood in `innermost` at each opening: as many as containers are open.
  var outer: [OpenContainer] = []
  var trailingCommas: [Int] = []
  var duplicateKeys: [Int] = []

  init(base: UnsafeRawPointer, count: Int, options: JSONOptions) {
    self.base = base
    self.options = options
    end = count
    records.reserveCapacity(min(count / 24, 1 << 22))
  }

  var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: end) }

  /// The byte at an offset; 0, which no valid text holds, from the end on.
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    offset < end ? base.load(fromByteOffset: offset, as: UInt8.self) : 0
  }

  /// The eight bytes from an offset on, the first one lowest, with zeros from the end on.
  @inline(__always)
  func word(_ offset: Int) -> UInt64 {
    guard offset &+ 8 <= end else { return lastWord(base + offset, count: end &- offset) }
    return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  mutating func parse() throws(JSONFault) -> Outcome {
    try refuseUTF16()
    let hasByteOrderMark = JSONText.hasByteOrderMark(text)
    if hasByteOrderMark { at = byteOrderMarkLength }
    skipSpace()
    guard at < end else { throw .emptyInput(at: at) }
    while true {
      try parseValueOrOpening()
      if try finishValue() { break }
    }
    skipSpace()
    guard at == end else { throw unexpected(.textAfterEnd, expected: "the end of the text") }
    return Outcome(
      records: records, trailingCommas: trailingCommas, duplicateKeys: duplicateKeys,
      hasByteOrderMark: hasByteOrderMark)
  }

  /// Reads a scalar, an empty container, or openings down to the first scalar or empty container.
  private mutating func parseValueOrOpening() throws(JSONFault) {
    while true {
      switch byte(at) {
      case UInt8(ascii: "{"):
        try open(isObject: true)
        if byte(at) == UInt8(ascii: "}") { return close() }
        try key()
      case UInt8(ascii: "["):
        try open(isObject: false)
        if byte(at) == UInt8(ascii: "]") { return close() }
      case UInt8(ascii: "\""): return try string()
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return try number()
      default: return try literal()
      }
      innermost.count &+= 1
    }
  }

  /// Closes what ends after a value and steps over a comma; true at the end of the outermost value.
  private mutating func finishValue() throws(JSONFault) -> Bool {
    while !outer.isEmpty {
      skipSpace()
      let closing = innermost.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
      let found = byte(at)
      if found == closing {
        close()
        continue
      }
      guard found == UInt8(ascii: ",") else {
        let bracket = innermost.isObject ? "'}'" : "']'"
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
      if innermost.isObject { try key() }
      innermost.count &+= 1
      return false
    }
    return true
  }

  private mutating func open(isObject: Bool) throws(JSONFault) {
    guard outer.count < options.nestingLimit else {
      throw JSONFault(
        .nestingTooDeep, at: at,
        "arrays and objects are nested more than \(options.nestingLimit) deep")
    }
    outer.append(innermost)
    innermost = OpenContainer(index: records.count, isObject: isObject)
    records.append(JSONRecord(kind: isObject ? .object : .array, offset: at))
    at &+= 1
    skipSpace()
  }

  /// Steps over the closing bracket and completes the container's record.
  private mutating func close() {
    at &+= 1
    let inside = UInt64(truncatingIfNeeded: records.count &- innermost.index &- 1)
    records[innermost.index].payload =
      inside &<< 32 | UInt64(truncatingIfNeeded: innermost.count)
    if innermost.isObject && innermost.count > 1 { findDuplicates(in: innermost) }
    innermost = outer.removeLast()
  }

  /// Reads a key and its colon, up to the start of the value.
  private mutating func key() throws(JSONFault) {
    guard byte(at) == UInt8(ascii: "\"") else {
      throw unexpected(.unexpectedCharacter, expected: "a key in double quotes")
    }
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
      records.append(JSONRecord(kind: .bool, offset: at, mark: 1))
      at &+= 4
    } else if isWord("false") {
      records.append(JSONRecord(kind: .bool, offset: at))
      at &+= 5
    } else if isWord("null") {
      records.append(JSONRecord(kind: .null, offset: at))
      at &+= 4
    } else {
      throw unexpectedValue()
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

/// The last bytes of a text, fewer than eight, as a word with zeros behind them.
@inline(never)
private func lastWord(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
  var word: UInt64 = 0
  for index in 0..<max(count, 0) {
    word |= UInt64(bytes.load(fromByteOffset: index, as: UInt8.self)) << UInt64(8 * index)
  }
  return word
}

extension JSONParser {
  /// Notes the keys of the object being closed that it has had before.
  ///
  /// Few keys are compared with each other; many go through a hash table, so that the cost
  /// stays linear.
  mutating func findDuplicates(in object: OpenContainer) {
    guard object.count <= 12 else { return findDuplicatesAmongMany(in: object) }
    var later = object.index &+ 1
    for rank in 0..<object.count {
      var earlier = object.index &+ 1
      for _ in 0..<rank {
        if records[later].hasString(of: records[earlier], in: base) {
          duplicateKeys.append(records[later].offset)
          break
        }
        earlier = keyAfter(earlier)
      }
      later = keyAfter(later)
    }
  }

  /// Looks each key up in an open hash table of record indices, in which 0, the root, is no key.
  ///
  /// The hash is seeded anew in each process: no file can be made to collide.
  private mutating func findDuplicatesAmongMany(in object: OpenContainer) {
    let mask = 1 << (Int.bitWidth - object.count.leadingZeroBitCount + 1) - 1
    var slots = [UInt32](repeating: 0, count: mask + 1)
    var key = object.index + 1
    for _ in 0..<object.count {
      var slot = hash(of: records[key]) & mask
      while slots[slot] != 0, !records[key].hasString(of: records[Int(slots[slot])], in: base) {
        slot = (slot + 1) & mask
      }
      if slots[slot] == 0 {
        slots[slot] = UInt32(key)
      } else {
        duplicateKeys.append(records[key].offset)
      }
      key = keyAfter(key)
    }
  }

  /// The index of the record of the key that follows a key and its value.
  private func keyAfter(_ key: Int) -> Int { key &+ 1 &+ records[key &+ 1].stride }

  private func hash(of key: JSONRecord) -> Int {
    var hasher = Hasher()
    if key.hasEscapes {
      key.decodedText(in: base).withUnsafeBytes { hasher.combine(bytes: $0) }
    } else {
      hasher.combine(bytes: key.rawText(in: base))
    }
    return hasher.finalize()
  }
}
