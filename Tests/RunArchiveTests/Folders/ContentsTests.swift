// SPDX-License-Identifier: Apache-2.0

import Acceptance
import RunArchive
import ScratchFolder
import Testing

struct ContentsTests {
  @Test func `the files of a run are known by size and hash, small and large`() throws {
    let scratch = try ScratchFolder()
    let folder = try RunFolder(name: "run", in: scratch.path)
    let large = String(repeating: "0123456789abcdef", count: 200_000)
    try folder.write("", to: "b")
    try folder.write(large, to: "a")
    let files = try folder.contents()
    #expect(files.map(\.name) == ["a", "b"])
    #expect(files.map(\.bytes) == [3_200_000, 0])
    #expect(files.map(\.sha256) == [large, ""].map { ContentHash(of: $0).description })
  }
}
