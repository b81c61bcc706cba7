// SPDX-License-Identifier: Apache-2.0

/// Text in angle brackets, escaped and balanced because there is no other way to write it.
struct Markup {
  /// Names and values in order; one without a value is left out.
  typealias Attributes = KeyValuePairs<String, String?>

  private(set) var text = ""

  mutating func element(
    _ name: String, _ attributes: Attributes = [:], _ content: (inout Markup) -> Void
  ) {
    open(name, attributes)
    text += ">"
    content(&self)
    text += "</\(name)>"
  }

  mutating func element(_ name: String, _ attributes: Attributes = [:], text content: String) {
    element(name, attributes) { $0.write(content) }
  }

  /// Writes an element with what `content` writes of each of some items.
  mutating func element<Item>(
    _ name: String, _ attributes: Attributes = [:], each items: some Sequence<Item>,
    _ content: (inout Markup, Item) -> Void
  ) {
    element(name, attributes) { inside in
      for item in items { content(&inside, item) }
    }
  }

  /// Writes an element that XML closes in itself; in HTML only where it is inside SVG.
  mutating func empty(_ name: String, _ attributes: Attributes = [:]) {
    open(name, attributes)
    text += "/>"
  }

  /// Writes an element of HTML that has no end, such as `meta`.
  mutating func void(_ name: String, _ attributes: Attributes = [:]) {
    open(name, attributes)
    text += ">"
  }

  mutating func write(_ content: String) { text += Markup.escaped(content) }

  /// Writes text that is markup already: a style sheet, a script, a declaration.
  mutating func writeVerbatim(_ markup: String) { text += markup }

  mutating func breakLine() { text += "\n" }

  private mutating func open(_ name: String, _ attributes: Attributes) {
    text += "<\(name)"
    for case (let key, let value?) in attributes {
      text += " \(key)=\"\(Markup.escaped(value))\""
    }
  }

  /// Makes a text harmless in HTML, XML and their quoted attributes.
  ///
  /// The five marks become entities. Characters that XML 1.0 forbids, and the control characters
  /// that HTML does, become U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      case "\t", "\n": result.append(scalar)
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

/// Bytes as text in the alphabet of RFC 4648, section 4.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for index in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - index)
      let group = (0..<3).reduce(UInt32(0)) { group, place in
        group << 8 | (place < count ? UInt32(bytes[index + place]) : 0)
      }
      for place in 0..<4 {
        let digit = Int(group >> UInt32(18 - 6 * place) & 63)
        text.append(place <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text stands for 16 bytes.
  package static func isSixteenBytes(_ text: String) -> Bool {
    let digits = Array(text.utf8)
    return digits.count == 24 && digits.suffix(2) == [0x3D, 0x3D]
      && digits.dropLast(2).allSatisfy(alphabet.contains)
  }
}

/// The address of a file as a URI has it (RFC 3986): bytes that may not stand in one are written as `%XX`.
package enum URI {
  package static func path(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
