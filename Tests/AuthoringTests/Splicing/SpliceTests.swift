// SPDX-License-Identifier: Apache-2.0

import AHAP
import Testing

@testable import Authoring

struct SpliceTests {
  private let many: PatternText = {
    let events = (0..<1_000).map {
      "{\"Event\":{\"Time\":\($0),\"EventType\":\"HapticTransient\"}}"
    }
    return PatternText(Array("{\"Pattern\":[\(events.joined(separator: ","))]}".utf8))
  }()

  private func splices(_ operations: [Authoring.Operation]) throws -> [EntrySplice] {
    let edits = try many.edits(for: operations)
    return EntrySplice.splices(from: many, to: many.replacing(edits), by: edits)
  }

  @Test func `local edits are small splices`() throws {
    let tap = PatternEntry(kind: .transient, time: 0.5)
    #expect(
      try splices([
        .set(entry: 3, EntryChange(.time, .number(3.125))),
        .set(entry: 4, EntryChange(.time, .number(4.125))),
        .set(entry: 900, EntryChange(.intensity, .number(1))),
      ]) == [
        EntrySplice(at: 3, remove: 2, arrivals: 3..<5),
        EntrySplice(at: 900, remove: 1, arrivals: 900..<901),
      ])
    #expect(
      try splices([.insert(at: 10, tap), .remove([20]), .insert(at: 1_000, tap)]) == [
        EntrySplice(at: 10, remove: 0, arrivals: 10..<11),
        EntrySplice(at: 21, remove: 1, arrivals: 21..<21),
        EntrySplice(at: 1_000, remove: 0, arrivals: 1_000..<1_001),
      ])
    #expect(
      try splices([.remove([0, 999])]) == [
        EntrySplice(at: 0, remove: 1, arrivals: 0..<0),
        EntrySplice(at: 998, remove: 1, arrivals: 998..<998),
      ])
    #expect(try splices([.text([UTF16Edit(from: 0, to: 0, insert: "\n")])]) == [])
  }

  @Test func `a broken text changes no entries, and the one that mends it may change all`() throws {
    let edits = try many.edits(for: [.text([UTF16Edit(from: 0, to: 1, insert: "")])])
    let broken = many.replacing(edits)
    #expect(EntrySplice.splices(from: many, to: broken, by: edits) == [])
    let mending = try broken.edits(for: [.text([UTF16Edit(from: 0, to: 0, insert: "{")])])
    #expect(
      EntrySplice.splices(from: broken, to: broken.replacing(mending), by: mending) == [
        EntrySplice(at: 0, remove: 1_000, arrivals: 0..<1_000)
      ])
  }
}
