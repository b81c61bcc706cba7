// SPDX-License-Identifier: Apache-2.0

/// The beginning of a request: its line and its fields, read strictly.
///
/// What two readers could understand in two ways is refused: lines that end otherwise than in CR LF, folded fields,
/// blanks before a colon, a field twice that may be there once, a length beside chunks.
struct RequestHead: Sendable {
  let method: String
  /// The path with its escapes, from the first `/` to the `?`.
  let path: String
  let query: String
  let fields: [HTTPField]
  /// How long the body is; `nil` where it comes in chunks.
  let length: Int?

  static let largest = 16 << 10
  static let mostFields = 64

  /// Reads what stands before the empty line, which is not in `bytes`.
  init(_ bytes: some Collection<UInt8>) throws(HTTPFault) {
    var lines = try Self.lines(bytes)
    guard let first = lines.first else { throw Self.broken("it is empty") }
    let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3 else { throw Self.broken("its first line is not METHOD PATH HTTP/1.1") }
    let version = String(decoding: words[2], as: UTF8.self)
    guard version.hasPrefix("HTTP/"), version.utf8.count == 8 else {
      throw Self.broken("its first line is not METHOD PATH HTTP/1.1")
    }
    guard version == "HTTP/1.1" else {
      throw HTTPFault(505, "version", "this server speaks HTTP/1.1")
    }
    guard (1...16).contains(words[0].count), words[0].allSatisfy({ (0x41...0x5A).contains($0) })
    else { throw Self.broken("its method is no word of capital letters") }
    guard words[1].first == 0x2F, words[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Self.broken("its target is not a path that begins with '/'")
    }
    method = String(decoding: words[0], as: UTF8.self)
    let target = words[1].split(
      separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
    path = String(decoding: target[0], as: UTF8.self)
    query = target.count > 1 ? String(decoding: target[1], as: UTF8.self) : ""
    lines.removeFirst()
    guard lines.count <= Self.mostFields else {
      throw HTTPFault(431, "too-many-fields", "a request has at most \(Self.mostFields) fields")
    }
    var fields: [HTTPField] = []
    for line in lines { fields.append(try Self.field(line)) }
    self.fields = fields
    length = try Self.length(fields)
  }

  /// The value of a field that is there at most once; its name is in lower case.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  var isUpgrade: Bool { self["upgrade"] != nil }

  private static let single: Set = [
    "host", "origin", "authorization", "cookie", "content-length", "content-type",
    "transfer-encoding", "upgrade", "sec-websocket-key", "sec-websocket-version", "expect",
  ]

  private static func broken(_ what: String) -> HTTPFault {
    HTTPFault(400, "bad-request", "the request cannot be read: \(what)")
  }

  private static func lines(_ bytes: some Collection<UInt8>) throws(HTTPFault) -> [[UInt8]] {
    var lines: [[UInt8]] = [[]]
    var endsLine = false
    for byte in bytes {
      if endsLine {
        guard byte == 0x0A else { throw broken("a carriage return stands alone") }
        lines.append([])
        endsLine = false
      } else if byte == 0x0D {
        endsLine = true
      } else if byte == 0x0A {
        throw broken("a line ends without a carriage return")
      } else {
        lines[lines.count - 1].append(byte)
      }
    }
    guard !endsLine else { throw broken("a carriage return stands alone") }
    return lines
  }

  private static func field(_ line: [UInt8]) throws(HTTPFault) -> HTTPField {
    guard let colon = line.firstIndex(of: 0x3A), colon > 0,
      line[..<colon].allSatisfy(isTokenByte)
    else { throw broken("a field has no name") }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
      throw broken("a field holds a control character")
    }
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let trimmed = value.drop(while: isBlank)
    let end = trimmed.lastIndex { !isBlank($0) }
    return HTTPField(
      String(decoding: line[..<colon], as: UTF8.self).lowercased(),
      end.map { String(decoding: trimmed[...$0], as: UTF8.self) } ?? "")
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func length(_ fields: [HTTPField]) throws(HTTPFault) -> Int? {
    var seen: [String: String] = [:]
    for field in fields where single.contains(field.name) {
      guard seen.updateValue(field.value, forKey: field.name) == nil else {
        throw broken("the field '\(field.name)' stands there twice")
      }
    }
    if let coding = seen["transfer-encoding"] {
      guard seen["content-length"] == nil else {
        throw broken("it has a length and chunks at once")
      }
      guard coding.lowercased() == "chunked" else {
        throw HTTPFault(501, "coding", "a body comes plain or in chunks")
      }
      return nil
    }
    guard let text = seen["content-length"] else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw broken("its length is no number")
    }
    // A number that no integer holds is too large in any case.
    return Int(text) ?? .max
  }
}
