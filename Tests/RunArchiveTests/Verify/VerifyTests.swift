// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Glibc
import RunArchive
import ScratchFolder
import Testing

struct VerifyTests {
  private func archive() throws -> ScratchArchive {
    let archive = try ScratchArchive()
    for id in ["a", "b"] { try SampleRun(id: id).write(to: archive.path) }
    _ = try archive.open()
    return archive
  }

  private func findings(_ archive: ScratchArchive) throws -> [String] {
    try archive.open().verify().findings.map(\.description)
  }

  @Test func `what is as it was written is sound`() throws {
    let archive = try archive()
    var seen: [Int] = []
    let verification = try archive.open().verify { done, _ in seen.append(done) }
    #expect(verification.isSound && verification.runs == 2 && verification.files == 6)
    #expect(
      verification.bytes == 2
        * ("the drive of a" + "the response of a, which is longer"
        + "<html>a</html>").utf8.count)
    #expect(seen == [1, 2])
  }

  @Test func `a byte that changed is found by its hash`() throws {
    let archive = try archive()
    try archive.scratch.write("the drive of b", to: "a/tap-1-drive.wav")
    let found = try findings(archive)
    #expect(found.count == 1)
    #expect(found[0].hasPrefix("changed: a/tap-1-drive.wav: its SHA-256 is "))
  }

  @Test func `a file of another size, one that is gone and one too many are told apart`() throws {
    let archive = try archive()
    try archive.scratch.write("<html>", to: "a/report.html")
    #expect(unlink(archive.path + "/a/tap-1-drive.wav") == 0)
    try archive.scratch.write("", to: "b/.hidden")
    #expect(
      try findings(archive) == [
        "changed: a/report.html: it has 6 bytes, and the record says 14",
        "missing: a/tap-1-drive.wav: the record names it with 14 bytes",
        "extra: b/.hidden: the record does not name it",
      ])
  }

  @Test func `a record that is not the one that was indexed is found`() throws {
    let archive = try archive()
    var text = String(decoding: try archive.scratch.bytes(of: "a/record.json"), as: UTF8.self)
    text.replace("\"pass\"", with: "\"fail\"")
    try archive.scratch.write(text, to: "a/record.json")
    #expect(try findings(archive).first?.hasPrefix("changed: a/record.json") == true)
    // Who trusts the record as it is says so by rebuilding.
    _ = try Archive.rebuild(archive.location)
    #expect(try findings(archive).isEmpty)
    #expect(try archive.open().runs().map(\.verdict).contains(.fail))
  }

  @Test func `a run, or its record, that is gone is missing`() throws {
    let archive = try archive()
    #expect(unlink(archive.path + "/a/record.json") == 0)
    #expect(rename(archive.path + "/b", archive.path + "/.b") == 0)
    let found = try findings(archive)
    #expect(found.count == 2)
    #expect(found[0] == "missing: a/record.json: the run has lost its record")
    #expect(found[1].hasPrefix("missing: b: the run is in the index and its folder is gone"))
  }

  @Test func `links are not followed and folders not read`() throws {
    let archive = try archive()
    let other = try ScratchFolder()
    try other.write("the drive of a", to: "elsewhere")
    let file = archive.path + "/a/tap-1-drive.wav"
    #expect(unlink(file) == 0 && symlink(other.file("elsewhere"), file) == 0)
    #expect(unlink(archive.path + "/a/report.html") == 0)
    _ = try archive.scratch.folder("a/report.html")
    let found = try findings(archive)
    #expect(found.count == 2)
    #expect(found[0].hasPrefix("unreadable: a/report.html: this is no regular file"))
    #expect(found[1].hasPrefix("unreadable: a/tap-1-drive.wav: this is a link"))
  }

  @Test(arguments: ["../b/report.html", "/etc/passwd", "..", "", "sub/../../file"])
  func `a record that names a file outside of its folder is not read`(name: String) throws {
    let archive = try archive()
    var record = SampleRun(id: "c").record
    record.header.files = [
      .init(name: name, bytes: 1, sha256: String(repeating: "0", count: 64))
    ]
    _ = try archive.scratch.folder("c")
    try archive.scratch.write(record.text, to: "c/record.json")
    let found = try findings(archive)
    #expect(found.count == 1)
    #expect(found[0].contains("header.files[0].name"), "\(found)")
  }

  @Test func `a run of an earlier version is counted as not compared`() throws {
    let archive = try archive()
    _ = try archive.scratch.folder("old")
    try archive.scratch.write(SampleRun(id: "old").record.text, to: "old/record.json")
    let verification = try archive.open().verify()
    #expect(verification.isSound && verification.withoutHashes == ["old"])
  }
}
