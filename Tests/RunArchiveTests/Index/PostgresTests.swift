// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Glibc
import Testing

@testable import RunArchive

/// What is peculiar to a server that several machines share.
struct PostgresTests {
  @Test func `question marks become numbers`() {
    #expect(
      PostgresConnection.numbered("insert into t values (?, ?), (?, ?)")
        == "insert into t values ($1, $2), ($3, $4)")
    #expect(PostgresConnection.numbered("select 'ü'") == "select 'ü'")
  }

  @Test(.enabled(if: Store.server != nil, "no server: see 'make test-postgres'"))
  func `archives of several folders share a server and do not touch each other's runs`() throws {
    let first = try Store.postgres.archive()
    let second = try Store.sqlite.archive()
    let location = try ArchiveLocation(try #require(first.location.server), reports: second.path)
    try SampleRun(id: "same", verdict: .pass).write(to: first.path)
    try SampleRun(id: "same", verdict: .fail).write(to: second.path)
    try SampleRun(id: "own").write(to: second.path)
    _ = try first.open()
    #expect(try Archive(opening: location).runs().count == 3)
    #expect(try Archive.rebuild(location).update.removed.isEmpty)
    #expect(try first.open().runs().count == 3)
    #expect(try first.open().verify().isSound)
    #expect(try first.open().readings(of: "own").isEmpty)
    #expect(try Archive(opening: location).readings(of: "own").count == 1)
  }

  @Test(.enabled(if: Store.server != nil, "no server: see 'make test-postgres'"))
  func `tables of another version are named, and made anew by a rebuild`() throws {
    let archive = try Store.postgres.archive()
    try SampleRun(id: "a").write(to: archive.path)
    _ = try archive.open()
    let server = try #require(archive.location.server)
    let connection = try PostgresConnection(location: server, library: PostgresLibrary())
    try connection.execute("update meta set value = '0' where key = 'schema'", [])
    let error = try #require(throws: ArchiveError.self) { _ = try archive.open() }
    #expect(error.message.contains("schema 0") && error.message.contains("archive rebuild"))
    #expect(try Archive.rebuild(archive.location).update.added == 1)
    #expect(try archive.open().runs().map(\.id) == ["a"])
  }

  @Test(.enabled(if: Store.server != nil, "no server: see 'make test-postgres'"))
  func `a connection that the server ends is made again`() throws {
    let archive = try Store.postgres.archive()
    let opened = try archive.open()
    try opened.add([SampleRun(id: "a").entry()])
    let server = try #require(archive.location.server)
    let other = try PostgresConnection(location: server, library: PostgresLibrary())
    try other.execute(
      """
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
      """, [])
    try opened.add([SampleRun(id: "b").entry()])
    #expect(try opened.runs().count == 2)
  }

  @Test(.enabled(if: Store.server != nil, "no server: see 'make test-postgres'"))
  func `a transaction that is silent for too long is ended by the server, and done again`() throws {
    let server = try #require(try Store.postgres.archive().location.server)
    let database = try PostgresDatabase(location: server)
    var tries = 0
    let patience = try database.write { connection throws(IndexFault) in
      tries += 1
      var found = ""
      try connection.rows("select current_setting('idle_in_transaction_session_timeout')", []) {
        found = $0.text(0) ?? ""
      }
      if tries == 1 {
        try connection.execute("set idle_in_transaction_session_timeout = '100ms'")
        usleep(400_000)
      }
      try connection.execute("insert into meta values ('silent', '\(tries)')")
      return found
    }
    #expect(tries == 2 && patience == "1min")
    let other = try PostgresConnection(location: server, library: PostgresLibrary())
    #expect(try other.integer("select value::integer from meta where key = 'silent'") == 2)
  }

  @Test(.enabled(if: Store.server != nil, "no server: see 'make test-postgres'"))
  func `a server that is not there, and a database that is not, are one sentence`() throws {
    let archive = try Store.sqlite.archive()
    for server in ["postgres://rig:secret@127.0.0.1:1/none", (Store.server ?? "") + "/none"] {
      let error = try #require(throws: ArchiveError.self) {
        _ = try Archive(opening: ArchiveLocation(server, reports: archive.path))
      }
      #expect(error.message.contains("cannot be reached"))
      #expect(!error.description.contains("secret") && !error.description.contains("\n"))
    }
  }
}
