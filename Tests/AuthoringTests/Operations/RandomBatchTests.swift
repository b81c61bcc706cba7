// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import SeededRandom
import Testing

@testable import Authoring

/// A thousand random batches over all layouts: each is what a plain model says, and all can be taken back.
struct RandomBatchTests {
  private static let batches = 1_000 / Layouts.names.count

  @Test(arguments: Layouts.names)
  func `random edits mean what they say and are undone to the same bytes`(name: String) throws {
    var random = SeededRandom(seed: UInt64(Layouts.names.firstIndex(of: name) ?? 0) + 0x5EED)
    print("random batches on '\(name)': \(random)")
    let text = try #require(Layouts.texts[name])
    var history = EditHistory(Array(text.utf8))
    var document = PatternText(history.bytes)
    var model = try PlainModel(text: document.bytes)
    var page = Page(document)
    var states = [history.bytes]
    for round in 0..<Self.batches {
      let comment = Comment(rawValue: "\(random), round \(round) on '\(name)'")
      let operations: [Authoring.Operation]
      if random.chance(0.1) {
        operations = [.text([Self.description(of: document, &random)])]
      } else {
        operations = RandomBatch.operations(for: model, &random)
      }
      let edits = try document.edits(for: operations)
      try history.take(.edit(label: "round \(round)", edits.edits))
      let next = document.replacing(edits)
      #expect(next.bytes == history.bytes, comment)
      model.take(operations)
      try check(next, model, comment)
      page.take(
        edits: document.json(edits),
        splices: next.json(EntrySplice.splices(from: document, to: next, by: edits)))
      #expect(page.text == Array(next.text.utf16), comment)
      #expect(page.entries == next.entriesJSON.elements, comment)
      document = next
      if states.last != history.bytes { states.append(history.bytes) }
      // An edit after some undos drops what could have been redone.
      if random.chance(0.03), states.count > 3 {
        let back = random.integer(1...2)
        for _ in 0..<back {
          let undone = try history.take(.undo)
          let before = document.replacing(undone)
          page.take(
            edits: document.json(undone),
            splices: before.json(EntrySplice.splices(from: document, to: before, by: undone)))
          document = before
          states.removeLast()
        }
        #expect(history.bytes == states.last, comment)
        #expect(page.entries == document.entriesJSON.elements, comment)
        model = try PlainModel(text: document.bytes)
      }
    }
    for state in states.dropLast().reversed() {
      try history.take(.undo)
      #expect(history.bytes == state, "\(random)")
    }
    #expect(history.undoLabel == nil)
    #expect(history.isSaved)
    for state in states.dropFirst() {
      try history.take(.redo)
      #expect(history.bytes == state, "\(random)")
    }
    #expect(history.redoLabel == nil)
  }

  /// The text says to the reader, and to a plain look at its values, what the model says.
  private func check(_ document: PatternText, _ model: PlainModel, _ comment: Comment) throws {
    #expect(document.broken == nil, comment)
    #expect(try PlainModel(text: document.bytes) == model, comment)
    var read = try AHAPReader.read(document.bytes).pattern
    read.metadata = nil
    #expect(read == model.pattern, comment)
    #expect(document.reading()?.pattern.events == read.events, comment)
    for (place, entry) in zip(document.places, document.entries) {
      let again = PatternText(
        Array("{\"Pattern\":[".utf8) + document.bytes[place] + Array("]}".utf8))
      #expect(again.entries == [entry], comment)
    }
  }

  /// A replacement within the text of the metadata's description.
  private static func description(
    of document: PatternText, _ random: inout SeededRandom
  ) -> UTF16Edit {
    let key = "\"Description\": \""
    let units = Array(document.text.utf16)
    let wanted = Array(key.utf16)
    let compact = Array("\"Description\":\"".utf16)
    for (name, start) in [wanted, compact].flatMap({ name in
      units.indices.filter { units[$0...].starts(with: name) }.map { (name, $0) }
    }) {
      let at = start + name.count
      return UTF16Edit(
        from: at, to: at, insert: ["🥁", "é", "x", "\\n", "\u{301}"][random.integer(0...4)])
    }
    return UTF16Edit(from: units.count, to: units.count, insert: "\n")
  }
}
