// SPDX-License-Identifier: Apache-2.0

import Bench
private import Glibc
import ScratchFolder
import Testing
import Workflows

/// A file that is saved in the ways that editors have.
struct SavedFileTests {
  private let folder: ScratchFolder
  /// When the test began; its clock goes on from there.
  private let wall = Self.wall

  init() throws { folder = try ScratchFolder() }

  private func watched() -> SavedFile<String> {
    SavedFile(path: folder.file("a.txt"), limit: 1000) { bytes throws(InputError) in
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.hasSuffix("!") else { throw InputError("a.txt:1:\(text.utf8.count): unfinished") }
      return text
    }
  }

  /// Looks for a second, every 50 ms of a clock that the test moves; what was told.
  private func told(by file: inout SavedFile<String>, from now: inout Double) -> [String] {
    var told: [String] = []
    for _ in 0..<20 {
      now += 0.05
      switch file.look(at: now, wall: wall + now) {
      case .saved(let text, let age):
        #expect(age >= 0 && age < 60)
        told.append(text)
      case .broken(let error): told.append("\(error)")
      case nil: break
      }
    }
    return told
  }

  private static var wall: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }

  @Test func `a save is told once, in place or by a rename, and the same content not at all`()
    throws
  {
    var (file, now) = (watched(), 0.0)
    #expect(told(by: &file, from: &now) == [])
    try folder.write("one!", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["one!"])
    #expect(told(by: &file, from: &now) == [])
    try folder.write("one!", to: "a.txt")
    #expect(told(by: &file, from: &now) == [])
    // As long as before, and perhaps within one tick of the file system's clock.
    try folder.write("two!", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["two!"])
    try folder.write("three!", to: "beside")
    #expect(rename(folder.file("beside"), folder.file("a.txt")) == 0)
    #expect(told(by: &file, from: &now) == ["three!"])
    unlink(folder.file("a.txt"))
    #expect(told(by: &file, from: &now) == [])
    try folder.write("four!", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["four!"])
  }

  @Test func `half of a save is not told, and a broken file is when it stays so`() throws {
    var (file, now) = (watched(), 0.0)
    try folder.write("one!", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["one!"])
    try folder.write("tw", to: "a.txt")
    if case .some = file.look(at: now + 0.01, wall: wall + now) { Issue.record("half was told") }
    try folder.write("two!", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["two!"])
    try folder.write("thr", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["a.txt:1:3: unfinished"])
    #expect(told(by: &file, from: &now) == [])
    try folder.write("two!", to: "a.txt")
    #expect(told(by: &file, from: &now) == [])
    try folder.write("three!", to: "a.txt")
    #expect(told(by: &file, from: &now) == ["three!"])
  }
}
