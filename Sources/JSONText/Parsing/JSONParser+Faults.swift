// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
  /// Names what stands here and what was expected instead.
  ///
  /// What people write by mistake gets a code and advice of its own, whatever the given code.
  func unexpected(_ code: JSONError.Code, expected: String) -> JSONFault {
    guard at < end else { return unexpectedEnd(expected: expected) }
    let length = scalarLength(at)
    guard length > 0 else {
      return JSONFault(.invalidUTF8, at: at, "byte \(hex(byte(at))) is not valid UTF-8")
    }
    let found = byte(at)
    let isSlashComment =
      found == UInt8(ascii: "/")
      && (byte(at + 1) == UInt8(ascii: "/") || byte(at + 1) == UInt8(ascii: "*"))
    if isSlashComment || found == UInt8(ascii: "#") {
      return JSONFault(.comment, at: at, "comments are not allowed in JSON; remove it")
    }
    if code == .textAfterEnd {
      return JSONFault(code, at: at, "\(described(length)) stands after the end of the JSON value")
    }
    if found == UInt8(ascii: "'") {
      return JSONFault(
        code, at: at, "expected \(expected), found \"'\"; strings stand in double quotes")
    }
    return JSONFault(code, at: at, "expected \(expected), found \(described(length))")
  }

  /// Names what stands here instead of a value; numbers that JSON does not have are the usual case.
  func unexpectedValue() -> JSONFault {
    for word: StaticString in ["NaN", "nan", "Infinity", "infinity", "inf", "+Infinity"]
    where isWord(word) {
      return JSONFault(
        .notANumberWord, at: at, "'\(word)' is not a JSON number; write a finite number")
    }
    if byte(at) == UInt8(ascii: "+") || byte(at) == UInt8(ascii: ".") {
      return JSONFault(
        .badNumber, at: at, "a JSON number starts with a digit or '-', not \(described(1))")
    }
    return unexpected(.unexpectedCharacter, expected: "a value")
  }

  func unexpectedEnd(expected: String) -> JSONFault {
    var message = "the text ends where \(expected) was expected"
    if !outer.isEmpty {
      var finder = JSONPositionFinder()
      let opening = finder.position(of: records[innermost.index].offset, in: text)
      message += "; the \(innermost.isObject ? "object" : "array") of line \(opening.line), "
      message += "column \(opening.column) is still open"
    }
    return JSONFault(.unexpectedEnd, at: end, message)
  }

  /// Refuses UTF-16 with a sentence that says what the text is: by its byte order mark, or by the zero
  /// that it writes beside the first bracket.
  func refuseUTF16() throws(JSONFault) {
    guard end >= 2 else { return }
    let isUTF16 =
      switch (byte(0), byte(1)) {
      case (0xFF, 0xFE), (0xFE, 0xFF): true
      case (0, UInt8(ascii: "{")), (0, UInt8(ascii: "[")): true
      case (UInt8(ascii: "{"), 0), (UInt8(ascii: "["), 0): true
      default: false
      }
    guard !isUTF16 else {
      throw JSONFault(.invalidUTF8, at: 0, "the text is UTF-16; save it as UTF-8")
    }
  }

  private func described(_ length: Int) -> String {
    let character = String(decoding: text[at..<(at + length)], as: UTF8.self)
    guard let scalar = character.unicodeScalars.first else { return "nothing" }
    if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "the control character U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "'\(character)'"
  }

  func hex(_ byte: UInt8) -> String {
    (byte < 0x10 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
  }
}
