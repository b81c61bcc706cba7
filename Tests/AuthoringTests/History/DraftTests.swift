// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import SeededRandom
import Testing

@testable import Authoring

struct DraftTests {
  /// A session of random edits, with what had been answered after each line of its draft.
  private func session(_ random: inout SeededRandom) throws -> (
    draft: [UInt8], answers: [(length: Int, history: EditHistory)]
  ) {
    var history = EditHistory(Array(Layouts.apple.utf8))
    var document = PatternText(history.bytes)
    var draft = Draft.opening(history)
    var answers = [(draft.count, history)]
    for round in 0..<60 {
      let event: EditEvent
      switch random.integer(0...9) {
      case 0 where history.undoLabel != nil: event = .undo
      case 1 where history.redoLabel != nil: event = .redo
      case 2: event = .saved
      case 3: event = .file(Array("{\"Pattern\": []}\n\(round)🫀".utf8))
      default:
        let model = try PlainModel(text: document.bytes)
        let operations = RandomBatch.operations(for: model, &random)
        let edits = try document.edits(for: operations)
        event = .edit(label: "Schritt \(round) \"🥁\"\n", edits.edits)
      }
      try history.take(event)
      document = PatternText(history.bytes)
      draft += Draft.line(event, after: history)
      answers.append((draft.count, history))
    }
    return (draft, answers)
  }

  @Test(arguments: [11 as UInt64, 12, 13])
  func `a draft cut at any byte gives a state that was answered`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    print("a cut draft: \(random)")
    let (draft, answers) = try session(&random)
    let whole = try Draft.replay(draft)
    #expect(whole.history == answers.last?.history, "\(random)")
    #expect(whole.fault == nil)
    #expect(whole.lines == answers.count)
    for cut in max(answers[0].length, draft.count - 2_048)...draft.count {
      let replay = try Draft.replay(Array(draft[..<cut]))
      let answered = try #require(answers.last { $0.length <= cut })
      #expect(replay.history == answered.history, "\(random), cut at \(cut)")
      #expect(replay.length == answered.length, "\(random), cut at \(cut)")
      #expect(replay.fault == nil, "\(random), cut at \(cut)")
    }
  }

  @Test func `a draft goes on where it was cut`() throws {
    var random = SeededRandom(seed: 21)
    let (draft, _) = try session(&random)
    var replay = try Draft.replay(Array(draft[..<(draft.count - 3)]))
    let event = EditEvent.edit(
      label: "x", [TextEdit(range: 0..<0, replacement: " ")])
    try replay.history.take(event)
    let more = Array(draft[..<replay.length]) + Draft.line(event, after: replay.history)
    #expect(try Draft.replay(more).history == replay.history)
  }

  @Test func `a bad line in the middle keeps what stands before it, and is told`() throws {
    var random = SeededRandom(seed: 22)
    let (draft, answers) = try session(&random)
    for (index, answer) in answers.enumerated().dropLast() {
      for bad in [
        "nonsense\n", "{}\n", "{\"edit\":\"x\",\"at\":[[0,999999,\"\"]],\"length\":3}\n",
        "{\"edit\":\"x\",\"at\":[[0,0,\" \"]],\"length\":3}\n", "{\"saved\":true,\"length\":1}\n",
        "{\"edit\":\"x\",\"at\":[[-1,0,\" \"]],\"length\":3}\n",
        "{\"edit\":\"x\",\"at\":[[4611686018427387904,4611686018427387904,\"\"]],\"length\":3}\n",
      ] {
        let spoilt = Array(draft[..<answer.length]) + Array(bad.utf8) + draft[answer.length...]
        let replay = try Draft.replay(spoilt)
        #expect(replay.history == answer.history, "line \(index + 2): \(bad)")
        #expect(replay.length == answer.length)
        #expect(replay.fault?.hasPrefix("line \(index + 2) of the draft cannot be used") == true)
      }
    }
  }

  @Test(arguments: [
    ("", "the draft's first line was not written to its end"),
    ("{\"draft\":1", "the draft's first line was not written to its end"),
    ("{}\n", "the draft's first line has no 'draft' and 'text'"),
    (
      "{\"draft\":9,\"text\":\"\"}\n",
      "the draft is of format 9; this program reads format 1"
    ),
  ])
  func `a draft without a beginning says nothing`(text: String, sentence: String) {
    #expect(throws: Draft.Unreadable(message: sentence)) {
      try Draft.replay(Array(text.utf8))
    }
  }

  @Test func `a draft that begins anew has the text and what its file has`() throws {
    var history = EditHistory(Array(Layouts.minified.utf8))
    try history.take(.edit(label: "x", [TextEdit(range: 0..<0, replacement: "\u{FEFF}")]))
    let replay = try Draft.replay(Draft.opening(history))
    #expect(replay.history.bytes == history.bytes)
    #expect(replay.history.fileBytes == history.fileBytes)
    #expect(!replay.history.isSaved)
    #expect(replay.history.undoLabel == nil)
  }
}

struct EditHistoryTests {
  /// Replaces a byte that stands there by a text.
  private static func nudge(
    _ history: inout EditHistory, _ text: String, by other: String, continues: Bool = true
  ) throws {
    let bytes = String(decoding: history.bytes, as: UTF8.self)
    let found = try #require(bytes.range(of: text))
    let start = bytes.utf8.distance(from: bytes.startIndex, to: found.lowerBound)
    let edit = TextEdit(range: start..<start + text.utf8.count, replacement: other)
    try history.take(.edit(label: "nudge", [edit], continues: continues))
  }

  @Test func `keys that are held make one step, which ends where something else is done`() throws {
    let text = "{\"Time\": 0.1, \"x\": 7}"
    var history = EditHistory(Array(text.utf8))
    try Self.nudge(&history, "0.1", by: "0.11")
    try Self.nudge(&history, "0.11", by: "0.123")
    // A part of what was put is part of the step as well.
    try Self.nudge(&history, "23", by: "3")
    let moved = history.bytes
    #expect(String(decoding: moved, as: UTF8.self).contains("0.13,"))
    try history.take(.undo)
    #expect(history.bytes == Array(text.utf8))
    #expect(history.undoLabel == nil && history.isSaved)
    try history.take(.redo)
    #expect(history.bytes == moved)

    // Elsewhere, without the wish, or of what is saved: a step of its own.
    try Self.nudge(&history, "7", by: "8")
    try Self.nudge(&history, "8", by: "9", continues: false)
    try history.take(.saved)
    try Self.nudge(&history, "9", by: "10")
    for wanted in ["9", "8", "7"] {
      try history.take(.undo)
      #expect(String(decoding: history.bytes, as: UTF8.self).hasSuffix("\"x\": \(wanted)}"))
    }
    #expect(history.bytes == moved)
  }

  @Test(arguments: [31 as UInt64, 32, 33])
  func `random continued edits undo to identical bytes, and a draft has them`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    print("continued edits: \(random)")
    let first = Array("[0.25, 0.5, 0.75, \"é🥁\"]".utf8)
    var history = EditHistory(first)
    var draft = Draft.opening(history)
    for _ in 0..<200 {
      // Within one character of ASCII, or between two.
      var edits: [TextEdit] = []
      var place = 0
      while place < history.bytes.count, edits.count < 3 {
        place += random.integer(0...9)
        let end = place + random.integer(0...3)
        guard end < history.bytes.count, history.bytes[place...end].allSatisfy({ $0 < 0x80 }) else {
          place = end + 1
          continue
        }
        let text = String(repeating: "1", count: random.integer(0...4))
        edits.append(TextEdit(range: place..<end, replacement: text))
        place = end + 1
      }
      let event = EditEvent.edit(label: "n", edits, continues: random.chance(0.8))
      try history.take(event)
      draft += Draft.line(event, after: history)
    }
    #expect(try Draft.replay(draft).history == history, "\(random)")
    let last = history.bytes
    var steps = 0
    while history.undoLabel != nil {
      try history.take(.undo)
      steps += 1
    }
    #expect(history.bytes == first && steps < 200, "\(random): \(steps) steps")
    while history.redoLabel != nil { try history.take(.redo) }
    #expect(history.bytes == last, "\(random)")
  }

  @Test func `labels and the saved mark follow undo and redo`() throws {
    var history = EditHistory(Array("abc".utf8))
    #expect(history.isSaved)
    try history.take(.edit(label: "one", [TextEdit(range: 1..<2, replacement: "XY")]))
    try history.take(.saved)
    try history.take(.edit(label: "two", [TextEdit(range: 0..<0, replacement: "é")]))
    #expect(!history.isSaved)
    #expect(history.undoLabel == "two")
    let undone = try history.take(.undo)
    #expect(undone.edits == [TextEdit(range: 0..<2, replacement: "")])
    #expect(history.isSaved)
    #expect((history.undoLabel, history.redoLabel) == ("one", "two"))
    try history.take(.undo)
    #expect(String(decoding: history.bytes, as: UTF8.self) == "abc")
    #expect(!history.isSaved)
    #expect(throws: EditHistoryError(message: "there is nothing to undo")) {
      try history.take(.undo)
    }
    try history.take(.redo)
    #expect(history.isSaved)
    try history.take(.edit(label: "three", [TextEdit(range: 0..<1, replacement: "")]))
    #expect(throws: EditHistoryError(message: "there is nothing to redo")) {
      try history.take(.redo)
    }
    #expect(throws: EditHistoryError.self) {
      try history.take(.edit(label: "bad", [TextEdit(range: 5..<9, replacement: "")]))
    }
    #expect(history.undoLabel == "three")
    try history.take(.edit(label: "nothing", []))
    #expect(history.undoLabel == "three")
    try history.take(.file(Array("XYc".utf8)))
    #expect(history.isSaved)
  }
}
