// SPDX-License-Identifier: Apache-2.0

import Glibc
import ScratchFolder
import Testing

@testable import RunArchive

/// The databases that an index can lie in: each passes the same tests.
enum Store: String, CaseIterable, CustomTestStringConvertible {
  case sqlite = "SQLite"
  case postgres = "PostgreSQL"

  var testDescription: String { rawValue }

  /// A server's URI up to its database, as `make test-postgres` gives it.
  static let server = getenv("HAPRIG_TEST_POSTGRES").map { String(cString: $0) }

  /// The stores that can be tested here: PostgreSQL where a server is named.
  static var available: [Store] { server == nil ? [.sqlite] : allCases }

  /// A new archive in this store; its folder goes with the value.
  func archive() throws -> StoreArchive { try StoreArchive(self) }
}

/// A folder of runs with an index of its own in some store.
struct StoreArchive {
  let scratch: ScratchFolder
  let location: ArchiveLocation

  fileprivate init(_ store: Store) throws {
    scratch = try ScratchFolder()
    switch store {
    case .sqlite: location = try ArchiveLocation(scratch.path)
    case .postgres:
      let server = try #require(Store.server)
      let name = "test_" + scratch.path.utf8.map { String($0, radix: 16) }.joined()
      let connection = try PostgresConnection(
        location: server + "/postgres", library: PostgresLibrary())
      try connection.execute("create database \(name)", [])
      location = try ArchiveLocation(server + "/" + name, reports: scratch.path)
    }
  }

  var path: String { scratch.path }

  func open() throws(ArchiveError) -> Archive { try Archive(opening: location) }
}

/// Says why PostgreSQL is left out where it is.
struct StoreTests {
  @Test(
    .enabled(
      if: Store.server != nil,
      "PostgreSQL is tested by 'make test-postgres', which starts a server of its own"))
  func `a PostgreSQL server is at hand`() throws {
    let archive = try Store.postgres.archive().open()
    #expect(try archive.runs().isEmpty)
  }
}
