// SPDX-License-Identifier: Apache-2.0

import Glibc
import RunArchive
import ScratchFolder
import Testing

struct AtomicFileTests {
  private func failure(_ body: () throws -> Void) throws -> ArchiveError {
    try #require(throws: ArchiveError.self) { try body() }
  }

  @Test func `a file holds what was written, and nothing stands beside it`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/record.json"
    try AtomicFile.write("{\"run\": \"ü\"}\n", to: path)
    #expect(ScratchFolder.text(path) == "{\"run\": \"ü\"}\n")
    #expect(scratch.names == ["record.json"])
  }

  @Test(arguments: [0, 1, 4096, 3_000_001])
  func `every byte of a file of any size arrives`(count: Int) throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/bytes"
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    try AtomicFile.write(bytes, to: path)
    #expect(ScratchFolder.bytes(path) == bytes)
  }

  @Test func `a longer file is replaced whole by a shorter one`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/report.html"
    try AtomicFile.write(String(repeating: "long ", count: 1000), to: path)
    try AtomicFile.write("short", to: path)
    #expect(ScratchFolder.text(path) == "short")
    #expect(scratch.names == ["report.html"])
  }

  @Test func `a reader that has the old file open keeps the old file`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/record.json"
    try AtomicFile.write("old", to: path)
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    try AtomicFile.write("new and longer", to: path)
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "old")
  }

  @Test func `what an earlier crash left half written is written over`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/record.json"
    let stale = open(path + ".partial", O_WRONLY | O_CREAT, 0o644)
    close(stale)
    try AtomicFile.write("whole", to: path)
    #expect(ScratchFolder.text(path) == "whole")
    #expect(scratch.names == ["record.json"])
  }

  @Test func `several files are new together, and none where one has no room`() throws {
    let scratch = try ScratchFolder()
    let paths = ["a", "b", "c"].map { scratch.path + "/\($0).json" }
    try AtomicFile.write(paths.map { ("old", $0) })
    try AtomicFile.write(paths.map { ("new", $0) })
    #expect(paths.map(ScratchFolder.text) == ["new", "new", "new"])
    let missing = try failure {
      try AtomicFile.write((paths + [scratch.path + "/none/d.json"]).map { ("newer", $0) })
    }
    #expect(missing.path.hasSuffix("d.json") && missing.message.contains("no file was changed"))
    #expect(paths.map(ScratchFolder.text) == ["new", "new", "new"])
    #expect(scratch.names == ["a.json", "b.json", "c.json"])
  }

  @Test func `a name that cannot be replaced is told with those that were`() throws {
    let scratch = try ScratchFolder()
    let paths = ["a", "b", "c"].map { scratch.path + "/\($0).json" }
    // A folder of that name: no file takes its place.
    mkdir(paths[1], 0o755)
    let error = try failure { try AtomicFile.write(paths.map { ("new", $0) }) }
    #expect(error.path == paths[1])
    #expect(error.message.contains("changed before that: \(paths[0]);"), "\(error)")
    #expect(error.message.contains("the same command"), "\(error)")
    #expect(scratch.names == ["a.json", "b.json"])
  }

  @Test func `a folder that cannot be written to is found by probing, and nothing stays`() throws {
    let scratch = try ScratchFolder()
    try Folder.probe(scratch.path, bytes: 100_000)
    #expect(scratch.names.isEmpty)
    let error = try failure { try Folder.probe("/proc/self", bytes: 100_000) }
    #expect(error.path == "/proc/self", "\(error)")
  }

  @Test func `a link under the partial name is not followed`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/record.json"
    let victim = scratch.path + "/victim"
    try AtomicFile.write("untouched", to: victim)
    #expect(symlink(victim, path + ".partial") == 0)
    try AtomicFile.write("whole", to: path)
    #expect(ScratchFolder.text(victim) == "untouched")
    #expect(ScratchFolder.text(path) == "whole")
  }

  @Test func `a folder that is not there is named, with what to do`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/missing/record.json"
    let error = try failure { try AtomicFile.write("x", to: path) }
    #expect(error.path == path)
    #expect(error.description.contains("does not exist"))
    #expect(scratch.names.isEmpty)
  }

  @Test func `a path below a file is named as such`() throws {
    let scratch = try ScratchFolder()
    try AtomicFile.write("x", to: scratch.path + "/file")
    let error = try failure { try AtomicFile.write("y", to: scratch.path + "/file/record.json") }
    #expect(error.message.contains("a file, not a folder"))
    #expect(ScratchFolder.text(scratch.path + "/file") == "x")
  }

  @Test func `a write that fails leaves no part of it behind, and what was there stays`() throws {
    let scratch = try ScratchFolder()
    // A folder with something in it under the name: nothing can be renamed over it.
    let target = scratch.path + "/record.json"
    #expect(mkdir(target, 0o755) == 0)
    try AtomicFile.write("inside", to: target + "/kept")
    let error = try failure { try AtomicFile.write("x", to: target) }
    #expect(error.path == target)
    #expect(scratch.names == ["record.json"])
    #expect(ScratchFolder.text(target + "/kept") == "inside")
  }
}
