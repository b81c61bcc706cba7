// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
private import Glibc
import JSONText
import Reporting
import RigFiles
import RunArchive
import Workflows

/// What is asked of a fleet, and the orders that people give it: as `haprig fleet` does both (docs/FLEET.md).
///
/// A database can be silent for as long as it likes. So each question has a thread of its own, one at a time, and
/// whoever asked waits a few seconds for its answer.
final class FleetDesk: Sendable {
  let file: String?
  private let book = Guarded(OpenBook())
  /// Whether a question is being asked.
  private let isAsked = Guarded(false)

  /// How long an answer is waited for, and how long a book that nobody asks is kept open, in seconds.
  private static let patience = 5.0
  private static let rest = 10.0

  private struct OpenBook {
    var kept: Kept?
    var asked = -Double.infinity
  }

  /// A book is used under the lock alone.
  private struct Kept: @unchecked Sendable {
    let orders: FleetOrders
    /// Of the file that it was opened for.
    let stamp: FileStamp?
  }

  init(file: String?) { self.file = file }

  /// The state of the fleet, as `haprig fleet status --json` prints it.
  func status() throws -> Response { Response(try ask { try $0.status().json }) }

  /// The fleet as `haprig fleet check --json` prints it; the database is not asked.
  func description() throws -> Response {
    Response(try FleetOrders.fleet(in: requireFile()).json)
  }

  func run(_ json: JSONValue) throws -> Response {
    try Self.check(json, has: ["plan", "rig", "model", "by"])
    let plan = try Self.text("plan", in: json)
    let rig = try Request.text("rig", in: json)
    let model = try Request.text("model", in: json)
    guard rig == nil || model == nil else {
      throw HTTPFault(400, "bad-value", "'rig' and 'model' are two choices: name one")
    }
    let choice: FleetOrders.Choice = rig.map { .rig($0) } ?? model.map { .model($0) } ?? .plan
    let who = try Self.who(json)
    let stamp = Host.time("%Y%m%dT%H%M%SZ")
    let jobs = try ask { try $0.order(plan, on: choice, by: who, stamp: stamp) }
    return Response(.object(of: ["jobs": jobs]), status: 201)
  }

  func cancel(_ json: JSONValue) throws -> Response {
    try Self.check(json, has: ["jobs", "by"])
    let names = json["jobs"]?.elements?.map(\.string) ?? []
    let jobs = names.compactMap { $0 }
    guard jobs.count == names.count, (1...Self.mostJobs).contains(jobs.count) else {
      throw HTTPFault(400, "bad-value", "'jobs' are the names of 1 to \(Self.mostJobs) jobs")
    }
    let who = try Self.who(json)
    let changed = try ask { try $0.cancel(jobs, by: who) }
    return Response(
      .object(of: [
        "jobs": zip(jobs, changed).map { JSONValue.object(of: ["job": $0, "cancelled": $1]) }
      ]))
  }

  private static let mostJobs = 200

  /// Keeps a rig; names the job that has it still, which ends first.
  func reserve(_ json: JSONValue) throws -> Response {
    try Self.check(json, has: ["rig", "for", "why", "by"])
    let rig = try Self.text("rig", in: json)
    let length = try Self.text("for", in: json)
    let why = try Self.text("why", in: json)
    let who = try Self.who(json)
    let job = try ask { orders in
      if let refusal = try orders.reserve(rig, by: who, why: why, for: length) {
        throw HTTPFault(409, "held", refusal)
      }
      return try orders.job(on: rig)?.id
    }
    return Response(.object(of: ["rig": rig, "after": job]))
  }

  func release(_ json: JSONValue) throws -> Response {
    try Self.check(json, has: ["rig"])
    let rig = try Self.text("rig", in: json)
    try ask { try $0.release(rig) }
    return Response(.object(of: ["rig": rig]))
  }

  /// Gives a machine no new jobs; `isNew` says whether it got some before.
  func drain(_ json: JSONValue) throws -> Response {
    try Self.check(json, has: ["machine", "why", "by"])
    let machine = try Self.text("machine", in: json)
    let why = try Self.text("why", in: json)
    let who = try Self.who(json)
    let isNew = try ask { try $0.drain(machine, by: who, why: why) }
    return Response(.object(of: ["machine": machine, "isNew": isNew]))
  }

  func undrain(_ json: JSONValue) throws -> Response {
    try Self.check(json, has: ["machine"])
    let machine = try Self.text("machine", in: json)
    try ask { try $0.undrain(machine) }
    return Response(.object(of: ["machine": machine]))
  }

  /// Closes a book that nobody asked for some seconds; never waits.
  func rest() {
    guard takeTurn() else { return }
    book.withLock { book in
      if MonotonicClock.seconds - book.asked > Self.rest { book.kept = nil }
    }
    giveTurn()
  }

  private func requireFile() throws(HTTPFault) -> String {
    guard let file else {
      throw HTTPFault(
        404, "no-fleet",
        "this workbench has no fleet: start it with --fleet FILE, or where a fleet.yaml lies")
    }
    return file
  }

  private func ask<Value: Sendable>(
    _ question: @escaping @Sendable (FleetOrders) throws -> Value
  ) throws -> Value {
    let file = try requireFile()
    let end = MonotonicClock.seconds + Self.patience
    while !takeTurn() {
      guard MonotonicClock.seconds < end else { throw Self.silence }
      usleep(5000)
    }
    let answer = Answer<Value>()
    let isStarted = Thread.start { [self] in
      let result = Result { try put(question, about: file) }
      giveTurn()
      answer.value.withLock { $0 = result }
    }
    guard isStarted else {
      giveTurn()
      throw HTTPFault(503, "threads", "this machine gives no more threads: try again later")
    }
    while true {
      if let result = answer.value.withLock({ $0 }) { return try result.get() }
      guard MonotonicClock.seconds < end else { throw Self.silence }
      usleep(1000)
    }
  }

  /// What comes of a question on the thread that asks it.
  private final class Answer<Value: Sendable>: Sendable {
    let value = Guarded<Result<Value, any Error>?>(nil)
  }

  private func put<Value: Sendable>(
    _ question: @Sendable (FleetOrders) throws -> Value, about file: String
  ) throws -> Value {
    try book.withLock { book in
      defer { book.asked = MonotonicClock.seconds }
      let stamp = FileStamp(file)
      if let kept = book.kept, kept.stamp == stamp { return try question(kept.orders) }
      book.kept = nil
      let kept = Kept(orders: try FleetOrders(FleetOrders.fleet(in: file)), stamp: stamp)
      book.kept = kept
      return try question(kept.orders)
    }
  }

  private static let silence = HTTPFault(
    503, "silent",
    "the fleet's database does not answer; what it was asked to do may still be done when it does")

  private func takeTurn() -> Bool {
    isAsked.withLock { isAsked in
      defer { isAsked = true }
      return !isAsked
    }
  }

  private func giveTurn() { isAsked.withLock { $0 = false } }

  private static func check(_ json: JSONValue, has members: Set<String>) throws(HTTPFault) {
    if let unknown = json.members?.first(where: { !members.contains($0.key) }) {
      throw HTTPFault(400, "bad-value", "this order has no '\(unknown.key.prefix(40))'")
    }
  }

  private static func text(_ name: String, in json: JSONValue) throws(HTTPFault) -> String {
    guard let text = try Request.text(name, in: json) else {
      throw HTTPFault(400, "bad-value", "this order has a '\(name)'")
    }
    return text
  }

  private static func who(_ json: JSONValue) throws -> String {
    try FleetOrders.who(Request.text("by", in: json))
  }
}
