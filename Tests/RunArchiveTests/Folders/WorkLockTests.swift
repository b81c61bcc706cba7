// SPDX-License-Identifier: Apache-2.0

import Glibc
import RunArchive
import ScratchFolder
import Testing

struct WorkLockTests {
  @Test func `work on an archive is done by one at a time, and names who does it`() throws {
    let folder = try ScratchFolder()
    do {
      let lock = try WorkLock("night of a/b", in: folder.path + "/new")
      let error = try #require(throws: WorkInProgress.self) {
        _ = try WorkLock("night of a/b", in: folder.path + "/new")
      }
      #expect(error.work == "night of a/b" && error.process == getpid())
      _ = try WorkLock("night of c", in: folder.path + "/new")
      _ = consume lock
    }
    _ = try WorkLock("night of a/b", in: folder.path + "/new")
  }

  @Test func `an archive that is a file cannot be worked on`() throws {
    let folder = try ScratchFolder()
    try folder.write("x", to: "file")
    #expect(throws: ArchiveError.self) { _ = try WorkLock("night", in: folder.path + "/file") }
  }
}
