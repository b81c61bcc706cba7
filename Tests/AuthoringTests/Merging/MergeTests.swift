// SPDX-License-Identifier: Apache-2.0

import AHAP
import SeededRandom
import Testing

@testable import Authoring

struct MergeTests {
  private let base = Layouts.apple

  private func merged(_ ours: String, _ theirs: String) -> String? {
    let own = Array(ours.utf8)
    guard
      case .merged(let edits) = Merge.merge(
        base: Array(base.utf8), ours: own, theirs: Array(theirs.utf8)),
      let sorted = try? TextEdits(edits, on: own)
    else { return nil }
    return String(decoding: sorted.applied(to: own), as: UTF8.self)
  }

  private var moved: String { base.replacing("\"Time\": 0.10", with: "\"Time\": 0.15") }
  private var weaker: String { base.replacing("0.80", with: "0.7") }
  private var gone: String {
    let start = base.firstRange(of: "        {\n            \"Parameter\"")
    let end = base.firstRange(of: "        {\n            \"ParameterCurve\"")
    guard let start, let end else { return base }
    return base.replacingCharacters(start.lowerBound..<end.lowerBound)
  }

  @Test func `changes of different lines are put together, either way round`() {
    let both = weaker.replacing("\"Time\": 0.10", with: "\"Time\": 0.15")
    #expect(merged(moved, weaker) == both)
    #expect(merged(weaker, moved) == both)
    #expect(merged(gone, moved) == gone.replacing("\"Time\": 0.10", with: "\"Time\": 0.15"))
    #expect(merged(moved, gone) == gone.replacing("\"Time\": 0.10", with: "\"Time\": 0.15"))
  }

  @Test func `one side alone, and both alike, are no conflict`() {
    #expect(merged(base, moved) == moved)
    #expect(merged(moved, base) == moved)
    #expect(merged(moved, moved) == moved)
    let both = weaker.replacing("\"Time\": 0.10", with: "\"Time\": 0.15")
    #expect(merged(both, moved) == both)
    #expect(merged(moved, both) == both)
  }

  @Test func `the same line changed otherwise is a conflict`() {
    let other = base.replacing("\"Time\": 0.10", with: "\"Time\": 0.2")
      .replacing("\"Time\": 0.5,", with: "\"Time\": 0.6,")
    #expect(merged(moved, other) == nil)
    #expect(
      Merge.merge(
        base: Array(base.utf8), ours: Array(moved.utf8), theirs: Array(other.utf8))
        == .conflict(Merge.Conflict(mine: 1, theirs: 2)))
  }

  @Test func `lines put at one place are a conflict`() {
    let key = "    \"Version\": 1.0,\n"
    let first = base.replacing(key, with: key + "    \"A\": 1,\n")
    let second = base.replacing(key, with: key + "    \"B\": 2,\n")
    #expect(merged(first, second) == nil)
    #expect(merged(first, first) == first)
  }

  @Test func `a result that cannot be read is a conflict`() {
    // Theirs takes the comma that ours needs: different lines, and no JSON.
    let ours = base.replacing("\"Version\": 1.0,\n", with: "\"Version\": 1.0,\n    \"A\": 1\n")
      .replacing("\n    \"Metadata\"", with: "\n    ,\"Metadata\"")
    let theirs = base.replacing("    \"Version\": 1.0,\n", with: "")
      .replacing("{\n    \"Metadata\"", with: "{   \"Metadata\"")
    #expect(PatternText(Array(ours.utf8)).broken == nil)
    #expect(PatternText(Array(theirs.utf8)).broken == nil)
    #expect(merged(ours, theirs) == nil)
  }

  @Test(arguments: [31 as UInt64, 32, 33, 34])
  func `a difference of lines leads from one text to the other`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for round in 0..<150 {
      func text(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        Array(
          (0..<count).map { _ in "line \(random.integer(0...12))é" }.joined(separator: "\n")
            .utf8) + (random.chance(0.5) ? [0x0A] : [])
      }
      let old = text(random.integer(0...60), &random)
      let new = text(random.integer(0...60), &random)
      let edits = try TextEdits(Merge.edits(from: old, to: new), on: old)
      #expect(edits.applied(to: old) == new, "\(random), round \(round)")
      let lines = { (bytes: [UInt8]) in
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
      }
      // No longer than the standard library's, where no last line lacks its line feed.
      if old.last == 0x0A, new.last == 0x0A {
        let diff = LineDiff(from: old, to: new)
        let changes = diff.hunks.reduce(0) { $0 + $1.old.count + $1.new.count }
        #expect(
          changes == lines(new).difference(from: lines(old)).count, "\(random), round \(round)")
      }
    }
  }

  @Test func `random edits of both sides merge to both, or to a conflict`() throws {
    var random = SeededRandom(seed: 41)
    print("random merges: \(random)")
    let base = PatternText(Array(Layouts.apple.utf8))
    var count = 0
    for round in 0..<300 {
      func side(_ random: inout SeededRandom) throws -> (PatternText, [Authoring.Operation]) {
        let index = random.integer(0...4)
        let operations: [Authoring.Operation] = [
          .set(entry: index, EntryChange(.time, .number(random.uniform(0...9))))
        ]
        return (base.replacing(try base.edits(for: operations)), operations)
      }
      let (ours, first) = try side(&random)
      let (theirs, second) = try side(&random)
      guard
        case .merged(let edits) = Merge.merge(
          base: base.bytes, ours: ours.bytes, theirs: theirs.bytes)
      else { continue }
      count += 1
      let merged = ours.replacing(try TextEdits(edits, on: ours.bytes))
      var model = try PlainModel(text: base.bytes)
      model.take(first)
      model.take(second)
      #expect(try PlainModel(text: merged.bytes) == model, "\(random), round \(round)")
    }
    #expect(count > 200)
  }

  @Test func `texts that differ in thousands of lines are one difference`() throws {
    var random = SeededRandom(seed: 51)
    func text() -> [UInt8] {
      Array("same\n".utf8)
        + (0..<20_000).flatMap { _ in Array("\(random.next())\n".utf8) } + Array("end\n".utf8)
    }
    let (old, new) = (text(), text())
    let edits = Merge.edits(from: old, to: new)
    #expect(edits.count == 1)
    #expect(try TextEdits(edits, on: old).applied(to: old) == new)
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<String.Index>) -> String {
    var text = self
    text.removeSubrange(range)
    return text
  }
}
