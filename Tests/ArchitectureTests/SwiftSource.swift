// SPDX-License-Identifier: Apache-2.0

/// What a Swift source declares for others and which types it names, as far as words tell it.
///
/// Comments and strings count for nothing. No compiler is asked: of two types of one name the folder rule sees
/// one, which is one more reason not to have two.
struct SwiftSource {
  /// The types that it declares at its top level and shows to its module.
  private(set) var declared: Set<String> = []
  /// The words that begin with a capital, but for types that it declares itself, inner and hidden ones among them.
  private(set) var named: Set<String> = []

  init(_ text: String) {
    var words = Words(bytes: Array(text.utf8))
    var (depth, isHidden, previous) = (0, false, "")
    var own: Set<String> = []
    while let word = words.next() {
      switch word {
      case "{": depth += 1
      case "}":
        depth -= 1
        isHidden = false
      case "private", "fileprivate": isHidden = depth == 0
      default:
        if word.first?.isUppercase == true { named.insert(word) }
        if Self.keywords.contains(previous) {
          own.insert(word)
          if depth == 0, !isHidden { declared.insert(word) }
          if depth == 0 { isHidden = false }
        }
      }
      previous = word
    }
    named.subtract(own)
  }

  private static let keywords: Set<String> = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]
}

/// The words and braces of a source, without its comments and strings.
private struct Words {
  let bytes: [UInt8]
  private var place = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> String? {
    while place < bytes.count {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "/") where at(1) == UInt8(ascii: "/"):
        while place < bytes.count, bytes[place] != 0x0A { place += 1 }
      case UInt8(ascii: "/") where at(1) == UInt8(ascii: "*"): skipComment()
      case UInt8(ascii: "\""): skipString(hashes: 0)
      case UInt8(ascii: "#"):
        var hashes = 0
        while at(hashes) == UInt8(ascii: "#") { hashes += 1 }
        place += hashes
        if at(0) == UInt8(ascii: "\"") { skipString(hashes: hashes) }
      case UInt8(ascii: "{"), UInt8(ascii: "}"):
        place += 1
        return String(UnicodeScalar(byte))
      case _ where Self.isPart(byte):
        let start = place
        while place < bytes.count, Self.isPart(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
      default: place += 1
      }
    }
    return nil
  }

  private func at(_ offset: Int) -> UInt8? {
    bytes.indices.contains(place + offset) ? bytes[place + offset] : nil
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      if at(0) == UInt8(ascii: "/"), at(1) == UInt8(ascii: "*") {
        depth += 1
        place += 2
      } else if at(0) == UInt8(ascii: "*"), at(1) == UInt8(ascii: "/") {
        depth -= 1
        place += 2
      } else {
        place += 1
      }
    } while depth > 0 && place < bytes.count
  }

  /// Skips a string from its first quote, with what is put into it.
  private mutating func skipString(hashes: Int) {
    let quote = UInt8(ascii: "\"")
    let isLong = at(1) == quote && at(2) == quote
    let end =
      [UInt8](repeating: quote, count: isLong ? 3 : 1)
      + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let escape = [UInt8(ascii: "\\")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    place += isLong ? 3 : 1
    while place < bytes.count {
      if bytes[place...].starts(with: end) {
        place += end.count
        return
      }
      guard bytes[place...].starts(with: escape) else {
        place += 1
        continue
      }
      place += escape.count
      if at(0) == UInt8(ascii: "(") { skipInterpolation() } else { place += 1 }
    }
  }

  private mutating func skipInterpolation() {
    var depth = 0
    repeat {
      switch at(0) {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      case UInt8(ascii: "\""):
        skipString(hashes: 0)
        continue
      default: break
      }
      place += 1
    } while depth > 0 && place < bytes.count
  }
}
