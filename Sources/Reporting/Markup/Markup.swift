/// Text in angle brackets, escaped and balanced because there is no other way to write it.
struct Markup {
  private(set) var text = ""

  /// Writes an element with what `content` writes inside it.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
    _ content: (inout Markup) -> Void
  ) {
    open(name, attributes)
    text += ">"
    content(&self)
    text += "</\(name)>"
  }

  /// Writes an element that holds a text.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text content: String
  ) {
    element(name, attributes) { $0.write(content) }
  }

  /// Writes an element that XML closes in itself; in HTML only where it is inside SVG.
  mutating func empty(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    open(name, attributes)
    text += "/>"
  }

  /// Writes an element of HTML that has no end, such as `meta`.
  mutating func void(_ name: String, _ attributes: KeyValuePairs<String, String> = [:]) {
    open(name, attributes)
    text += ">"
  }

  /// Writes a text, escaped.
  mutating func write(_ content: String) { text += Markup.escaped(content) }

  /// Writes text that is markup already: a style sheet, a script, a declaration.
  mutating func writeVerbatim(_ markup: String) { text += markup }

  /// Starts a new line, so that the source can be read too.
  mutating func breakLine() { text += "\n" }

  private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(Markup.escaped(value))\"" }
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
