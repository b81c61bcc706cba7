// SPDX-License-Identifier: Apache-2.0

private import Glibc
import ScratchFolder
import Synchronization
import Testing

@testable import Workbench

/// Files are read again where they changed, and not before.
struct FileShelfTests {
  private struct Missing: Error {}

  private final class Counter: Sendable {
    let count = Atomic(0)

    func text(_ path: String) throws -> String {
      count.add(1, ordering: .relaxed)
      guard let text = ScratchFolder.text(path) else { throw Missing() }
      return text
    }
  }

  @Test func `a file is read once as long as it and what it rests on stay as they are`() throws {
    let folder = try ScratchFolder()
    let (own, other) = (folder.file("own"), folder.file("other"))
    let (shelf, counter) = (FileShelf<String>(), Counter())
    func read() throws -> String {
      try shelf.value(of: own, restingOn: { _ in [own, other] }, counter.text)
    }
    // What is not there is looked for each time, and so is what rests on what is not there.
    #expect(throws: Missing.self) { _ = try read() }
    try folder.write("one", to: "own")
    #expect(try read() == "one" && read() == "one")
    #expect(counter.count.load(ordering: .relaxed) == 3)
    try folder.write("beside", to: "other")
    #expect(try read() == "one" && read() == "one" && read() == "one")
    #expect(counter.count.load(ordering: .relaxed) == 4)
    // As long as before, and not the same: a file that takes its place is another one.
    try folder.write("two", to: "new")
    #expect(rename(folder.file("new"), own) == 0)
    #expect(try read() == "two" && read() == "two")
    #expect(counter.count.load(ordering: .relaxed) == 5)
    try folder.write("another", to: "other")
    #expect(try read() == "two" && read() == "two")
    #expect(counter.count.load(ordering: .relaxed) == 6)
    unlink(own)
    #expect(throws: Missing.self) { _ = try read() }
  }
}
