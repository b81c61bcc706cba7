// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A request that the guards let through, with its path and query in plain text.
package struct Request: Sendable {
  let head: RequestHead
  let body: [UInt8]
  /// What its key allows.
  let access: Access
  /// What the route's pattern names: `id`, `name`.
  var parameters: [String: String] = [:]

  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  /// The values of a name in the query, in their order.
  func values(_ name: String) throws(HTTPFault) -> [String] {
    var found: [String] = []
    for part in head.query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard try Self.decoded(pair[0], inQuery: true) == name else { continue }
      found.append(pair.count > 1 ? try Self.decoded(pair[1], inQuery: true) : "")
    }
    return found
  }

  /// The last value of a name that is not empty.
  func value(_ name: String) throws(HTTPFault) -> String? {
    try values(name).last.flatMap { $0.isEmpty ? nil : $0 }
  }

  func integer(
    _ name: String, in range: ClosedRange<Int>, or standard: Int
  ) throws(HTTPFault) -> Int {
    guard let text = try value(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw HTTPFault(
        400, "bad-value",
        "'\(name)' takes \(range.lowerBound) to \(range.upperBound), not '\(text.prefix(40))'")
    }
    return number
  }

  func number(_ name: String) throws(HTTPFault) -> Double? {
    guard let text = try value(name) else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw HTTPFault(400, "bad-value", "'\(name)' takes a number, not '\(text.prefix(40))'")
    }
    return number
  }

  /// The body as a JSON object; 415 where it does not say that it is JSON: a form of another site cannot say so.
  package func json() throws(HTTPFault) -> JSONValue {
    let kind = head["content-type"]?.lowercased().split(separator: ";").first
    guard kind == "application/json" else {
      throw HTTPFault(415, "not-json", "the body is to be JSON: Content-Type: application/json")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: body)
    } catch {
      throw HTTPFault(400, "bad-json", "the body is no JSON: \(error)")
    }
    guard value.members != nil else {
      throw HTTPFault(400, "bad-json", "the body is to be one JSON object")
    }
    return value
  }

  /// A member of a body that is a text; 400 where it is anything else, or empty.
  static func text(_ name: String, in json: JSONValue) throws(HTTPFault) -> String? {
    guard let value = json[name] else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw HTTPFault(400, "bad-value", "'\(name)' is to be a text that is not empty")
    }
    return text
  }

  /// What stands before the name of a pattern or a sound, which is a path itself.
  private static let named = [["api", "v1", "patterns"], ["api", "v1", "sounds"]]

  /// A path's parts without their escapes; what could lead anywhere else is refused.
  ///
  /// In a pattern's or a sound's name, and nowhere else, `%2F` stands for a slash.
  static func parts(of path: String) throws(HTTPFault) -> [String] {
    var parts: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let text = try decoded(part, inQuery: false)
      let pieces =
        named.contains(parts)
        ? text.split(separator: "/", omittingEmptySubsequences: false) : [Substring(text)]
      guard
        pieces.allSatisfy({ piece in
          piece != "." && piece != ".."
            && !piece.utf8.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x5C || $0 == 0x7F }
        })
      else { throw HTTPFault(400, "bad-path", "this path leads nowhere") }
      parts.append(text)
    }
    return parts
  }

  static func decoded(
    _ text: some StringProtocol, inQuery: Bool
  ) throws(HTTPFault) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x25:
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, !digits.hasPrefix("+"), !digits.hasPrefix("-"),
          let value = UInt8(digits, radix: 16), value != 0
        else { throw HTTPFault(400, "bad-path", "a '%' is not followed by two digits of a byte") }
        bytes.append(value)
        rest = rest.dropFirst(2)
      case 0x2B where inQuery: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HTTPFault(400, "bad-path", "an escape is no UTF-8")
    }
    return text
  }
}
