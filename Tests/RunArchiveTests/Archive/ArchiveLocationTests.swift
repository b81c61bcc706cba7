// SPDX-License-Identifier: Apache-2.0

import RunArchive
import Testing

struct ArchiveLocationTests {
  @Test func `a folder is one, with or without a slash at its end`() throws {
    for text in ["reports", "reports/", "reports//"] {
      let location = try ArchiveLocation(text)
      #expect(location.folder == "reports" && location.server == nil)
    }
    #expect(try ArchiveLocation("/").folder == "/")
  }

  @Test func `a server has its runs in a folder all the same`() throws {
    let uri = "postgres://rig@db.lab/haptics"
    #expect(try ArchiveLocation(uri).folder == "reports")
    let location = try ArchiveLocation(uri, reports: "/srv/reports/")
    #expect(location.folder == "/srv/reports" && location.server == uri)
  }

  @Test(arguments: [
    ("postgres://rig:secret@db.lab:5432/haptics", "postgres://rig:***@db.lab:5432/haptics"),
    ("postgresql://rig:se@cret@db/haptics", "postgresql://rig:***@db/haptics"),
    ("postgres://db/haptics?user=rig&password=secret", "postgres://db/haptics"),
    ("postgres://rig@%2Frun%2Fpostgresql/haptics", "postgres://rig@%2Frun%2Fpostgresql/haptics"),
  ])
  func `no message shows a password`(uri: String, shown: String) throws {
    #expect(try ArchiveLocation(uri).description == shown)
  }

  @Test func `a folder's runs lie in it and nowhere else`() throws {
    #expect(throws: ArchiveError.self) { _ = try ArchiveLocation("reports", reports: "elsewhere") }
    #expect(try ArchiveLocation("reports", reports: "reports/").folder == "reports")
    #expect(throws: ArchiveError.self) { _ = try ArchiveLocation("") }
  }
}
