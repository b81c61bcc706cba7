// SPDX-License-Identifier: Apache-2.0

/// The book of a fleet, in the database that the archive's index is in: what is owed, what is done, and who holds what.
///
/// The engine's clerk makes the tables and the functions by which people change them
/// (docs/decisions/052-a-fleet-whose-book-is-the-database.md). All times are the database's.
package final class FleetBook {
  private let server: String
  private let database: PostgresDatabase

  /// Opens the book of a server, which is named as archives name it.
  package init(server: String) throws(ArchiveError) {
    self.server = server
    do throws(IndexFault) {
      database = try PostgresDatabase(location: server)
    } catch {
      throw Self.error(error, server)
    }
    let isThere = try ask { connection throws(IndexFault) in
      try connection.integer("select 1 where to_regclass('haprig.fleet_jobs') is not null") != nil
    }
    guard isThere else {
      throw ArchiveError(
        path: ArchiveLocation.withoutPassword(server),
        message: "this database has no book of a fleet yet: start the fleet's master once")
    }
  }

  /// A job for one rig.
  package struct Job: Sendable, Equatable {
    package enum State: String, Sendable {
      /// It is not its turn yet.
      case waiting
      /// The engine works on it.
      case given
      case done
      case cancelled
    }

    package var id: String
    package var plan: String
    package var rig: String
    package var state: State
    /// How often it was begun.
    package var attempts: Int
    /// The exit code of the last attempt; `nil` where none has ended.
    package var code: Int?
    /// What is known of it, in words.
    package var said: String
    /// When it is due, when it began and ended, in seconds since 1970.
    package var due: Double
    package var began: Double?
    package var ended: Double?
    /// For how long it has been due and has not ended, in seconds; 0 of one that has, or is not due.
    package var late: Double
  }

  /// A rig that a person has for some time.
  package struct Hold: Sendable, Equatable {
    package var rig: String
    package var who: String
    package var why: String
    /// In seconds since 1970.
    package var until: Double
  }

  /// A machine that gets no new jobs.
  package struct Drain: Sendable, Equatable {
    package var machine: String
    package var who: String
    package var why: String
  }

  /// What the book says of now.
  package struct Page: Sendable, Equatable {
    /// Jobs that are not over, the next first.
    package var open: [Job]
    /// Of each rig and plan the newest job that is over.
    package var last: [Job]
    package var holds: [Hold]
    package var drains: [Drain]
    /// The database's time, in seconds since 1970.
    package var now: Double
    /// Whether a clerk is at work.
    package var hasClerk: Bool
  }

  private static let columns = """
    j.id, j.plan, j.rig, j.state, j.attempts, j.code, j.said,
    extract(epoch from j.due)::float8, extract(epoch from j.began)::float8,
    extract(epoch from j.ended)::float8,
    case when j.ended is null then greatest(0, extract(epoch from now() - j.due))::float8 else 0 end
    """

  private static func job(_ row: any IndexRow) -> Job {
    Job(
      id: row.text(0) ?? "", plan: row.text(1) ?? "", rig: row.text(2) ?? "",
      state: row.text(3).flatMap(Job.State.init) ?? .waiting, attempts: row.integer(4) ?? 0,
      code: row.integer(5), said: row.text(6) ?? "", due: row.number(7) ?? 0,
      began: row.number(8), ended: row.number(9), late: row.number(10) ?? 0)
  }

  /// What the book says of now, all of one moment.
  package func page() throws(ArchiveError) -> Page {
    try ask { connection throws(IndexFault) in
      Page(
        open: try connection.list(
          """
          select \(Self.columns) from haprig.fleet_jobs j where j.ended is null
          order by j.state = 'given' desc, j.priority desc, j.due, j.id limit 10000
          """, [], Self.job),
        last: try connection.list(
          """
          select distinct on (j.rig, j.plan) \(Self.columns) from haprig.fleet_jobs j
          where j.ended is not null order by j.rig, j.plan, j.due desc, j.id desc
          """, [], Self.job),
        holds: try connection.list(
          """
          select rig, who, why, extract(epoch from until)::float8 from haprig.fleet_holds
          where released is null and now() >= since and now() < until order by rig
          """, []
        ) { row in
          Hold(
            rig: row.text(0) ?? "", who: row.text(1) ?? "", why: row.text(2) ?? "",
            until: row.number(3) ?? 0)
        },
        drains: try connection.list(
          "select machine, who, why from haprig.fleet_drains order by machine", []
        ) { row in
          Drain(machine: row.text(0) ?? "", who: row.text(1) ?? "", why: row.text(2) ?? "")
        },
        now: try connection.list("select extract(epoch from now())::float8", []) { $0.number(0) }
          .first ?? 0,
        hasClerk: try connection.integer("select 1 where haprig.fleet_has_clerk()") != nil)
    }
  }

  /// The jobs of some ids, in their order; those that the book does not know are left out.
  package func jobs(_ ids: [String]) throws(ArchiveError) -> [Job] {
    guard !ids.isEmpty else { return [] }
    let found = try ask { connection throws(IndexFault) in
      try connection.list(
        """
        select \(Self.columns) from haprig.fleet_jobs j
        where j.id in (\(SQLValue.places(ids.count)))
        """, ids.map { .text($0) }, Self.job)
    }
    let places = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ids.compactMap { places[$0] }
  }

  /// Makes a job that is due now; false where one of this id is there.
  ///
  /// `task` is what a job takes along of its plan, as JSON.
  package func order(
    _ id: String, plan: String, rig: String, task: String, priority: Int, why: String
  ) throws(ArchiveError) -> Bool {
    try change(
      "haprig.fleet_order(?, ?, ?, ?::jsonb, now(), ?::integer, ?)",
      [.text(id), .text(plan), .text(rig), .text(task), .integer(priority), .text(why)])
  }

  /// Ends a job that waits, and asks for the end of one that runs; false where it is over.
  package func cancel(_ id: String, by who: String) throws(ArchiveError) -> Bool {
    try change("haprig.fleet_cancel(?, ?)", [.text(id), .text(who)])
  }

  /// Keeps a rig for a person from now on; false where somebody has it already.
  package func reserve(
    _ rig: String, by who: String, why: String, seconds: Double
  ) throws(ArchiveError) -> Bool {
    try change(
      "haprig.fleet_reserve(?, ?, ?, ?::float8)",
      [.text(rig), .text(who), .text(why), .number(seconds)])
  }

  /// Gives a rig back that was kept; false where it was not.
  package func release(_ rig: String) throws(ArchiveError) -> Bool {
    try change("haprig.fleet_release(?)", [.text(rig)])
  }

  /// Gives a machine no new jobs; false where that is so already.
  package func drain(
    _ machine: String, by who: String, why: String
  ) throws(ArchiveError) -> Bool {
    try change("haprig.fleet_drain(?, ?, ?)", [.text(machine), .text(who), .text(why)])
  }

  /// Gives a machine jobs again; false where it got them.
  package func undrain(_ machine: String) throws(ArchiveError) -> Bool {
    try change("haprig.fleet_undrain(?)", [.text(machine)])
  }

  private func change(_ call: String, _ values: [SQLValue]) throws(ArchiveError) -> Bool {
    do throws(IndexFault) {
      return try database.write { connection throws(IndexFault) in
        try connection.list("select \(call)::integer", values) { $0.integer(0) }.first == 1
      }
    } catch {
      throw Self.error(error, server)
    }
  }

  private func ask<Value>(
    _ body: (any IndexConnection) throws(IndexFault) -> Value
  ) throws(ArchiveError) -> Value {
    do throws(IndexFault) {
      return try database.read(body)
    } catch {
      throw Self.error(error, server)
    }
  }

  private static func error(_ fault: IndexFault, _ server: String) -> ArchiveError {
    ArchiveError(
      path: ArchiveLocation.withoutPassword(server), message: fault.message,
      isOfTheMachine: fault.isOfTheMachine)
  }
}
