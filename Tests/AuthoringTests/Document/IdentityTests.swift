// SPDX-License-Identifier: Apache-2.0

import AHAP
import Glibc
import PublishedPatterns
import Testing

@testable import Authoring

/// A file that is opened and saved is the same, and an edit changes what it names alone.
struct IdentityTests {
  @Test(arguments: PatternFiles.own)
  func `the repository's own patterns stay as they are`(path: String) throws {
    try check(try PatternFiles.bytes(path), path)
  }

  @Test(
    .enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"),
    arguments: Corpus.paths)
  func `published patterns stay as they are`(path: String) throws {
    try check(try Corpus.bytes(path), path)
  }

  @Test(arguments: Layouts.names)
  func `patterns of any layout stay as they are`(name: String) throws {
    try check(Array(try #require(Layouts.texts[name]).utf8), name)
  }

  private func check(_ bytes: [UInt8], _ name: String) throws {
    let document = PatternText(bytes)
    #expect(document.bytes == bytes)
    #expect(document.broken == nil, "\(name)")
    let again = try EditHistoryReplay.saved(bytes)
    #expect(again == bytes)
    let events = document.entries.indices.filter { document.entries[$0].kind.isEvent }
    // Every event of a small file, some of a large one.
    for rank in stride(from: 0, to: events.count, by: 1 + events.count / 20) {
      try move(events[rank], in: document, name)
    }
    // To set what is written changes nothing, however it is written.
    let same = document.entries.indices.flatMap { index -> [Authoring.Operation] in
      let entry = document.entries[index]
      return [.set(entry: index, EntryChange(.time, .number(entry.time)))]
    }
    if document.entries.allSatisfy({ $0.kind != .other }) {
      #expect(try document.edits(for: same).isEmpty, "\(name)")
    }
  }

  /// Moves an event and compares the bytes without asking the editor where it has written.
  private func move(_ index: Int, in document: PatternText, _ name: String) throws {
    let time = document.entries[index].time
    let wanted = ((time + 0.125) * 1000).rounded() / 1000
    let moved = document.replacing(
      try document.edits(for: [.set(entry: index, EntryChange(.time, .number(wanted)))]))
    let (old, new) = (document.bytes, moved.bytes)
    // By halves: what is equal up to a place is compared as a whole.
    let most = min(old.count, new.count)
    var start = Self.most(most) { memcmp(old, new, $0) == 0 }
    var tail = Self.most(most - start) { count in
      old.withUnsafeBytes { old in
        new.withUnsafeBytes { new in
          guard let ends = old.baseAddress, let others = new.baseAddress else { return true }
          return memcmp(ends + old.count - count, others + new.count - count, count) == 0
        }
      }
    }
    func isNumber(_ byte: UInt8) -> Bool { "0123456789+-.eE".utf8.contains(byte) }
    while start > 0, isNumber(old[start - 1]) { start -= 1 }
    while tail > 0, isNumber(old[old.count - tail]) { tail -= 1 }
    let before = String(decoding: old[start..<old.count - tail], as: UTF8.self)
    let after = String(decoding: new[start..<new.count - tail], as: UTF8.self)
    #expect(Double(before) == time, "\(name), entry \(index): \(before)")
    #expect(Double(after) == wanted, "\(name), entry \(index): \(after)")
    #expect(document.places[index].contains(start))
  }

  /// The most that a condition holds for, which holds for all less.
  private static func most(_ limit: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, limit)
    while low < high {
      let middle = (low + high + 1) / 2
      if holds(middle) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

/// Opens and saves a text by way of its history and draft.
private enum EditHistoryReplay {
  static func saved(_ bytes: [UInt8]) throws -> [UInt8] {
    let history = EditHistory(bytes)
    return try Draft.replay(Draft.opening(history)).history.bytes
  }
}
