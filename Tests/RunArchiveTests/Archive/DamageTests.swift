// SPDX-License-Identifier: Apache-2.0

import Glibc
import RunArchive
import ScratchFolder
import Testing

/// An index file that is not what it should be.
struct DamageTests {
  private func archive(runs: Int = 3) throws -> ScratchArchive {
    let archive = try ScratchArchive()
    for number in 0..<runs { try SampleRun(id: "run-\(number)").write(to: archive.path) }
    _ = try archive.open()
    return archive
  }

  /// Overwrites bytes of the index.
  private func damage(_ archive: ScratchArchive, at offset: Int, with bytes: [UInt8]) throws {
    var all = try archive.scratch.bytes(of: "index.sqlite")
    all.replaceSubrange(offset..<min(offset + bytes.count, all.count), with: bytes)
    try archive.scratch.write(all, to: "index.sqlite")
  }

  private func expectHealed(
    _ archive: ScratchArchive, saying words: String, at place: SourceLocation = #_sourceLocation
  ) throws {
    let opened = try archive.open()
    #expect(opened.notices.count == 1, sourceLocation: place)
    let notice = try #require(opened.notices.first, sourceLocation: place)
    #expect(notice.hasPrefix(archive.path + "/index.sqlite: "), sourceLocation: place)
    #expect(notice.contains(words), "\(notice)", sourceLocation: place)
    #expect(notice.contains("index.sqlite.set-aside"), "\(notice)", sourceLocation: place)
    #expect(try opened.runs().count == 3, sourceLocation: place)
    #expect(try archive.open().notices.isEmpty, sourceLocation: place)
  }

  @Test func `a file that is no database is moved away, and the index made anew`() throws {
    let archive = try archive()
    let text = "this is not a database, and it is longer than a header of SQLite would be: "
    try archive.scratch.write(String(repeating: text, count: 20), to: "index.sqlite")
    try expectHealed(archive, saying: "not a database")
    #expect(try archive.scratch.bytes(of: "index.sqlite.set-aside").starts(with: text.utf8))
  }

  @Test(arguments: [[0x47, 0x50, 0x4B, 0x47], [0, 0, 0, 0]] as [[UInt8]])
  func `a database of another program is moved away whole`(owner: [UInt8]) throws {
    let archive = try archive()
    // The application id of SQLite's header.
    try damage(archive, at: 68, with: owner)
    let before = try archive.scratch.bytes(of: "index.sqlite")
    try expectHealed(archive, saying: "a database of another program")
    #expect(try archive.scratch.bytes(of: "index.sqlite.set-aside") == before)
  }

  @Test func `an index of an older schema is made anew`() throws {
    let archive = try archive()
    // The user version of SQLite's header.
    try damage(archive, at: 60, with: [0, 0, 0, 0])
    try expectHealed(archive, saying: "older schema 0")
  }

  @Test func `an index of a later haprig is left alone`() throws {
    let archive = try archive()
    try damage(archive, at: 60, with: [0, 0, 0, 9])
    let error = try #require(throws: ArchiveError.self) { _ = try archive.open() }
    #expect(error.message.contains("schema 9") && error.message.contains("later haprig"))
  }

  @Test func `damage inside is met by a question and healed on the way`() throws {
    let archive = try archive()
    let pages = try archive.scratch.bytes(of: "index.sqlite").count / 4096
    // Everything but the first page, which says what the file is.
    for page in 1..<pages {
      try damage(archive, at: page * 4096, with: [UInt8](repeating: 0xA5, count: 4096))
    }
    let opened = try archive.open()
    #expect(try opened.runs().count == 3)
    #expect(opened.notices.count == 1)
  }

  @Test(arguments: [0, 1, 100, 4096, 9000])
  func `an index that was cut off is made anew`(length: Int) throws {
    let archive = try archive()
    let bytes = try archive.scratch.bytes(of: "index.sqlite")
    try archive.scratch.write(Array(bytes.prefix(length)), to: "index.sqlite")
    #expect(try archive.open().runs().count == 3)
    #expect(try archive.open().verify().isSound)
  }

  @Test func `a run is not added to a damaged index, and not lost either`() throws {
    let archive = try archive(runs: 2)
    try archive.scratch.write("no database at all, and long enough to see that", to: "index.sqlite")
    try SampleRun(id: "run-2").write(to: archive.path)
    let error = try #require(throws: ArchiveError.self) {
      try Archive.index("run-2", in: archive.location)
    }
    #expect(error.message.contains("haprig archive rebuild"))
    try expectHealed(archive, saying: "damaged")
  }

  @Test func `moved away files do not meet`() throws {
    let archive = try archive()
    for _ in 0..<3 {
      try archive.scratch.write(String(repeating: "garbage ", count: 100), to: "index.sqlite")
      _ = try archive.open()
    }
    let names = archive.scratch.names.filter { $0.contains("set-aside") }
    #expect(
      names == [
        "index.sqlite.set-aside", "index.sqlite.set-aside-2", "index.sqlite.set-aside-3",
      ])
  }

  @Test func `a folder or a link in the place of the index is named`() throws {
    let archive = try ScratchArchive()
    _ = try archive.scratch.folder("index.sqlite")
    let error = try #require(throws: ArchiveError.self) { _ = try archive.open() }
    #expect(error.message.contains("no regular file"))
    let linked = try ScratchArchive()
    #expect(symlink(archive.path + "/elsewhere", linked.path + "/index.sqlite") == 0)
    #expect(throws: ArchiveError.self) { _ = try linked.open() }
    #expect(!archive.scratch.names.contains("elsewhere"))
  }

  @Test func `what a killed rebuild left is removed by the next`() throws {
    let archive = try archive()
    // No process has this number: it is beyond what the kernel gives.
    for suffix in ["", "-wal"] {
      try archive.scratch.write("half", to: ".index.sqlite.99999999.building\(suffix)")
    }
    _ = try Archive.rebuild(archive.location)
    #expect(archive.scratch.names == ["index.sqlite", "run-0", "run-1", "run-2"])
  }
}
