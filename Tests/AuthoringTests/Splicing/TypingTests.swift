// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import SeededRandom
import Testing

@testable import Authoring

/// Whatever is typed into the source pane, nothing fails, and the page follows.
struct TypingTests {
  @Test(arguments: Layouts.names)
  func `a page follows whatever is typed`(name: String) throws {
    var random = SeededRandom(seed: UInt64(Layouts.names.firstIndex(of: name) ?? 0) + 0x7E47)
    print("random typing in '\(name)': \(random)")
    let text = try #require(Layouts.texts[name])
    var history = EditHistory(Array(text.utf8))
    var document = PatternText(history.bytes)
    var page = Page(document)
    var whole = 0
    for round in 0..<400 {
      let comment = Comment(rawValue: "\(random), round \(round) in '\(name)'")
      let edits: TextEdits
      if document.broken != nil, random.chance(0.6), history.undoLabel != nil {
        edits = try history.take(.undo)
      } else {
        edits = try document.edits(for: [.text(typing(in: document, &random))])
        try history.take(.edit(label: "type", edits.edits))
      }
      let next = document.replacing(edits)
      page.take(
        edits: document.json(edits),
        splices: next.json(EntrySplice.splices(from: document, to: next, by: edits)))
      #expect(next.bytes == history.bytes, comment)
      #expect(page.text == Array(next.text.utf16), comment)
      let findings = next.findings(of: next.reading())
      _ = next.json(findings)
      if next.broken == nil {
        whole += 1
        #expect(page.entries == next.entriesJSON.elements, comment)
      } else {
        #expect(next.entries == document.entries, comment)
        #expect(findings.count == 1, comment)
      }
      document = next
    }
    #expect(whole > 20)
  }

  /// One or two replacements of a few characters, or of a run that is anywhere.
  private func typing(in document: PatternText, _ random: inout SeededRandom) -> [UTF16Edit] {
    let words = [
      "", "", "1", ".5", " ", "\n", ",", "{", "}", "[", "]", "\"", ":", "é", "🥁", "null",
      "{\"Event\":{\"EventType\":\"HapticTransient\",\"Time\":1}},", "\"Time\":2,",
    ]
    var edits: [UTF16Edit] = []
    var from = 0
    for _ in 0..<random.integer(1...2) where from < document.offsets.count {
      from = random.integer(from...document.offsets.count)
      let to = min(
        from + random.integer(0...(random.chance(0.1) ? 200 : 2)), document.offsets.count)
      guard document.offsets.byte(of: from) != nil, document.offsets.byte(of: to) != nil else {
        break
      }
      edits.append(
        UTF16Edit(from: from, to: to, insert: words[random.integer(0...words.count - 1)]))
      from = to + 1
    }
    return edits
  }
}
