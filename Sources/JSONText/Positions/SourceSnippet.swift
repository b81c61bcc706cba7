/// The line of a text around a place, made fit to print, with the column to point at.
///
/// A line longer than the width is cut around the place and marked with `...`. Control characters,
/// tabs among them, show as a space each, so that the caret stands right; bytes that are not UTF-8
/// show as U+FFFD. The cost depends on the width alone, not on the line.
package struct SourceSnippet: Sendable, Hashable {
  /// The line, or the part of it around the place.
  package var line: String
  /// The number of characters of ``line`` before the place.
  package var caret: Int

  private static let cutMark = "..."
  private static let indent = "    "

  /// Cuts the line around a position out of a text.
  package init(bytes: [UInt8], position: JSONPosition, width: Int = 100) {
    let width = max(width, 20)
    let place = min(max(position.offset, 0), bytes.count)

    var start = place
    var before = 0
    while start > 0, bytes[start - 1] != 0x0A, before < width * 3 / 5, place - start < width * 4 {
      start -= 1
      before += bytes[start] & 0xC0 == 0x80 ? 0 : 1
    }
    // The limit in bytes, which bounds a scan over what is not UTF-8, can fall inside a character.
    while start > 0, start < place, bytes[start] & 0xC0 == 0x80 { start += 1 }
    var lineStart = 0
    if bytes.withUnsafeBytes(hasByteOrderMark) {
      lineStart = byteOrderMarkLength
      start = max(start, min(lineStart, place))
    }
    let isCutBefore = start > lineStart && bytes[start - 1] != 0x0A

    var end = place
    var after = 0
    while end < bytes.count, bytes[end] != 0x0A, end - place < width * 4 {
      if bytes[end] & 0xC0 != 0x80 {
        if after == width - before { break }
        after += 1
      }
      end += 1
    }
    let isCutAfter = end < bytes.count && bytes[end] != 0x0A && bytes[end] != 0x0D

    let head = Self.printable(bytes[start..<place])
    var tail = Self.printable(bytes[place..<end])
    while tail.last == " " { tail.removeLast() }
    line = (isCutBefore ? Self.cutMark : "") + head + tail + (isCutAfter ? Self.cutMark : "")
    caret = (isCutBefore ? Self.cutMark.count : 0) + head.unicodeScalars.count
  }

  /// Renders `file:line:column: sentence`, the source line and a caret below it, without a final
  /// line feed.
  package static func report(
    bytes: [UInt8], fileName: String, position: JSONPosition, sentence: String
  ) -> String {
    let snippet = SourceSnippet(bytes: bytes, position: position)
    let head = "\(fileName):\(position.line):\(position.column): \(sentence)"
    guard !snippet.line.isEmpty else { return head }
    let space = String(repeating: " ", count: snippet.caret)
    return "\(head)\n\(indent)\(snippet.line)\n\(indent)\(space)^"
  }

  private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      text.append(isControl ? " " : scalar)
    }
    return String(text)
  }
}
