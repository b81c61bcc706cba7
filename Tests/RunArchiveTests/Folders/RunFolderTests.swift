// SPDX-License-Identifier: Apache-2.0

import Glibc
import RunArchive
import ScratchFolder
import Testing

struct RunFolderTests {
  @Test func `a folder is hidden until it is kept`() throws {
    let scratch = try ScratchFolder()
    var folder = try RunFolder(name: "run", in: scratch.path)
    try folder.write("{}", to: "record.json")
    #expect(scratch.names.allSatisfy { $0.hasPrefix(".") })
    #expect(folder.path.hasPrefix(scratch.path + "/."))
    try folder.keep()
    #expect(scratch.names == ["run"])
    #expect(folder.finalPath == scratch.path + "/run")
    #expect(ScratchFolder.text(folder.finalPath + "/record.json") == "{}")
  }

  @Test func `a kept folder outlives the value that made it`() throws {
    let scratch = try ScratchFolder()
    do {
      var folder = try RunFolder(name: "run", in: scratch.path)
      try folder.write("kept", to: "record.json")
      try folder.keep()
    }
    #expect(ScratchFolder.text(scratch.path + "/run/record.json") == "kept")
  }

  @Test func `a folder that is let go of is removed with what is in it`() throws {
    let scratch = try ScratchFolder()
    do {
      let folder = try RunFolder(name: "run", in: scratch.path)
      try folder.write("half", to: "record.json")
      try folder.write("a wave", to: ".hidden")
      #expect(scratch.names.count == 1)
    }
    #expect(scratch.names.isEmpty)
  }

  @Test func `a name that is taken gets a number`() throws {
    let scratch = try ScratchFolder()
    for expected in ["run", "run-2", "run-3"] {
      var folder = try RunFolder(name: "run", in: scratch.path)
      #expect(folder.name == expected)
      try folder.write(expected, to: "record.json")
      try folder.keep()
    }
    #expect(scratch.names == ["run", "run-2", "run-3"])
    #expect(ScratchFolder.text(scratch.path + "/run/record.json") == "run")
  }

  @Test func `two runs at once have a folder each`() throws {
    let scratch = try ScratchFolder()
    var first = try RunFolder(name: "run", in: scratch.path)
    var second = try RunFolder(name: "run", in: scratch.path)
    #expect(first.path != second.path)
    try first.write("first", to: "record.json")
    try second.write("second", to: "record.json")
    try second.keep()
    try first.keep()
    #expect(scratch.names == ["run", "run-2"])
    #expect(ScratchFolder.text(first.finalPath + "/record.json") == "first")
    #expect(ScratchFolder.text(second.finalPath + "/record.json") == "second")
  }

  @Test func `letting go of one run leaves the other alone`() throws {
    let scratch = try ScratchFolder()
    var kept = try RunFolder(name: "run", in: scratch.path)
    do {
      let dropped = try RunFolder(name: "run", in: scratch.path)
      try dropped.write("x", to: "record.json")
    }
    try kept.write("y", to: "record.json")
    try kept.keep()
    #expect(scratch.names == ["run"])
  }

  @Test func `what a crash left behind is neither used nor removed`() throws {
    let scratch = try ScratchFolder()
    let leftover = scratch.path + "/.run.partial"
    #expect(mkdir(leftover, 0o755) == 0)
    try AtomicFile.write("evidence", to: leftover + "/record.json")
    var folder = try RunFolder(name: "run", in: scratch.path)
    #expect(folder.path != leftover)
    try folder.write("new", to: "record.json")
    try folder.keep()
    #expect(ScratchFolder.text(leftover + "/record.json") == "evidence")
  }

  @Test(arguments: ["reports", "reports/2026/november"])
  func `a parent that is not there is made, and those above it`(parent: String) throws {
    let scratch = try ScratchFolder()
    let below = scratch.path + "/" + parent
    var folder = try RunFolder(name: "run", in: below)
    try folder.write("x", to: "record.json")
    try folder.keep()
    #expect(ScratchFolder.names(in: below) == ["run"])
    #expect(ScratchFolder.text(below + "/run/record.json") == "x")
  }

  @Test func `a parent that cannot be made is one sentence`() throws {
    let scratch = try ScratchFolder()
    try AtomicFile.write("x", to: scratch.path + "/file")
    let path = scratch.path
    for parent in ["/file", "/file/below/that"] {
      let error = try #require(throws: ArchiveError.self) {
        _ = try RunFolder(name: "run", in: path + parent)
      }
      #expect(error.message.contains("a file, not a folder"))
    }
    #expect(scratch.names == ["file"])
    #expect(ScratchFolder.text(path + "/file") == "x")
  }

  @Test func `a file that cannot be written leaves the folder to be kept without it`() throws {
    let scratch = try ScratchFolder()
    var folder = try RunFolder(name: "run", in: scratch.path)
    try folder.write("whole", to: "record.json")
    #expect(throws: ArchiveError.self) { try folder.write("x", to: "record.json/file") }
    try folder.keep()
    #expect(ScratchFolder.names(in: folder.finalPath) == ["record.json"])
  }
}

/// Work that is stopped and goes on in the same hidden folder.
struct ResumedFolderTests {
  @Test func `the same work finds what it left, and keeps it under its name`() throws {
    let scratch = try ScratchFolder()
    do {
      let folder = try RunFolder(resuming: "work", as: "first", in: scratch.path)
      try folder.write("kept", to: "part")
    }
    #expect(try Folder.names(in: scratch.path).isEmpty)
    var folder = try RunFolder(resuming: "work", as: "second", in: scratch.path)
    #expect(try Folder.names(in: folder.path) == ["part"])
    try folder.keep()
    #expect(try Folder.names(in: scratch.path) == ["second"])
    #expect(try Folder.names(in: scratch.path + "/second") == ["part"])
  }

  @Test func `a name that is taken gets a number`() throws {
    let scratch = try ScratchFolder()
    for expected in ["run", "run-2", "run-3"] {
      var folder = try RunFolder(resuming: "work", as: "run", in: scratch.path)
      #expect(folder.name == expected)
      try folder.keep()
    }
  }

  @Test func `the same work is done by one at a time, and the other is told who`() throws {
    let scratch = try ScratchFolder()
    do {
      let folder = try RunFolder(resuming: "work", as: "run", in: scratch.path)
      folder.clear()
      let refusal = try #require(throws: ArchiveError.self) {
        _ = try RunFolder(resuming: "work", as: "run", in: scratch.path)
      }
      #expect(
        refusal.message.contains("process \(getpid()) is at work"))
      _ = try RunFolder(resuming: "other work", as: "run", in: scratch.path)
      try folder.write("a", to: "a")
    }
    // Let go of, it can be gone on with; kept, nothing of the lock stays.
    var folder = try RunFolder(resuming: "work", as: "run", in: scratch.path)
    #expect(try Folder.names(in: folder.path) == ["a"])
    try folder.keep()
    #expect(try Folder.names(in: folder.finalPath) == ["a"])
    #expect(access(folder.finalPath + "/.lock", F_OK) != 0)
    let next = try RunFolder(resuming: "work", as: "run", in: scratch.path)
    #expect(try Folder.names(in: next.path).isEmpty)
  }

  @Test func `clearing begins anew, and a file may be taken away`() throws {
    let scratch = try ScratchFolder()
    let folder = try RunFolder(resuming: "work", as: "run", in: scratch.path)
    try folder.write("a", to: "a")
    try folder.write("b", to: "b")
    try folder.remove("a")
    try folder.remove("a")
    #expect(try Folder.names(in: folder.path) == ["b"])
    folder.clear()
    #expect(try Folder.names(in: folder.path).isEmpty)
  }
}
