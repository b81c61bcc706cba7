// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import JSONText
import Reporting
import Workflows

/// Work that was started from pages and programs: children of this program that go on without it.
final class JobDesk: Sendable {
  private struct Job {
    let id: String
    let kind: String
    let arguments: [String]
    let process: Int
    let started: String
    /// `nil` for a job that another workbench started.
    var child: Child?
    var status: Int?
    var isStopped = false
    /// When it ended, in seconds of this process' clock; `nil` for what ended before it began.
    var ended: Double?
    /// What is to be done when it has ended.
    var then: (@Sendable () -> Void)?
  }

  private let program: String
  private let bench: BenchDesk
  private let live: LiveDesk
  private let folder: JobFolder?
  private let jobs: Guarded<[Job]>

  /// Jobs that run at once, whoever started them.
  static let mostAtOnce = 8
  private static let largestResult = 8 << 20

  /// Finds what workbenches before started.
  init(program: String, bench: BenchDesk, live: LiveDesk, folder: JobFolder?) {
    self.program = program
    self.bench = bench
    self.live = live
    self.folder = folder
    let found = (folder?.notes() ?? []).compactMap { id, note -> Job? in
      guard let kind = note["kind"]?.string, let process = note["process"]?.integer else {
        return nil
      }
      return Job(
        id: id, kind: kind, arguments: note["arguments"]?.elements?.compactMap(\.string) ?? [],
        process: process, started: note["started"]?.string ?? "",
        status: note["status"]?.integer, isStopped: note["stopped"]?.bool ?? false)
    }
    jobs = Guarded(found)
  }

  func list() -> [JSONValue] { jobs.withLock { $0 }.map(json) }

  func job(_ id: String) throws(HTTPFault) -> JSONValue { json(try find(id)) }

  /// Starts what a page asks for, and does something when that has ended.
  func start(
    _ order: JobOrder, then: (@Sendable () -> Void)? = nil
  ) throws -> JSONValue {
    guard let folder else {
      throw HTTPFault(
        500, "runtime", "there is no runtime folder that is this user's alone: set XDG_RUNTIME_DIR")
    }
    if let rig = order.rig, let holder = holder(of: rig) {
      throw HTTPFault(
        409, "held", "the rig is in use by process \(holder): wait for it, or stop it")
    }
    let job = try jobs.withLock { jobs throws -> Job in
      let running = jobs.filter(isRunning)
      guard running.count < Self.mostAtOnce else {
        throw HTTPFault(409, "busy", "\(running.count) jobs are running already")
      }
      if order.kind == .verify, let other = running.first(where: { $0.kind == "verify" }) {
        throw HTTPFault(409, "busy", "the archive is being verified already: job \(other.id)")
      }
      let job = try begin(order, in: folder, then)
      jobs.append(job)
      forgetOld(&jobs, in: folder)
      return job
    }
    return json(job)
  }

  /// The process that holds a rig; a stage is waited for a moment, since a page that lets go of one asks for the
  /// rig at the same time.
  private func holder(of rig: String) -> Int? {
    let end = MonotonicClock.seconds + Self.letGoTime
    var holder = BenchDesk.holder(of: rig)
    while let process = holder, let id = id(of: process), isStage(id), MonotonicClock.seconds < end
    {
      usleep(10_000)
      holder = BenchDesk.holder(of: rig)
    }
    return holder
  }

  /// How long a stage takes to let go of its rig at most, in seconds.
  private static let letGoTime = 1.5

  /// Asks a job to stop, as Ctrl-C does.
  func stop(_ id: String) throws(HTTPFault) {
    let job = try find(id)
    guard isRunning(job) else { return }
    jobs.withLock { jobs in
      if let place = jobs.firstIndex(where: { $0.id == id }) { jobs[place].isStopped = true }
    }
    if let child = job.child {
      child.send(SIGINT)
    } else if folder?.isHeld(id) == true {
      Signals.interrupt(job.process)
    }
  }

  /// The job that a process is, or was.
  func id(of process: Int) -> String? {
    jobs.withLock { jobs in jobs.last { $0.process == process }?.id }
  }

  /// The child of a job that plays because a page is there; `nil` for any other.
  func held(_ id: String) -> Child? {
    guard let job = try? find(id), JobOrder.Kind(rawValue: job.kind)?.isHeld == true else {
      return nil
    }
    return job.child
  }

  /// The whole lines that a held job has said from a byte on, where the next one begins, and whether it has ended.
  ///
  /// What was told is forgotten: a drive that is held for hours says more than the memory of a machine should keep.
  func lines(of id: String, from offset: Int) -> (lines: [[UInt8]], next: Int, hasEnded: Bool) {
    guard let folder, let job = try? find(id) else { return ([], offset, true) }
    // Asked before it is read: what has ended says no more.
    let hasEnded = !isRunning(job)
    let (lines, next) = folder.lines(of: id, from: offset)
    return (lines, next, hasEnded && next == offset)
  }

  func isStage(_ id: String) -> Bool {
    (try? find(id))?.kind == JobOrder.Kind.stage.rawValue
  }

  /// The exit code of a job that has ended.
  func status(of id: String) -> Int? {
    guard let job = try? find(id) else { return nil }
    return job.status ?? job.child?.status.map(Int.init)
  }

  /// A folder of a job's own in the runtime folder, which is the caller's to remove.
  func scratch() throws(HTTPFault) -> String {
    guard let folder, let made = folder.scratch() else {
      throw HTTPFault(500, "runtime", "there is no runtime folder that takes another file")
    }
    return made
  }

  /// For how long what a verification found is given again, in seconds.
  private static let freshness = 60.0

  /// What a verification found that ended within the last minute, as `archive verify --json` says it; else the job
  /// that finds it out.
  func verification() throws -> JSONValue {
    let last = jobs.withLock { $0 }.last { $0.kind == "verify" }
    if let last {
      if isRunning(last) { return ["job": .string(last.id)] }
      if let ended = last.ended, MonotonicClock.seconds - ended < Self.freshness {
        guard let status = last.status, status <= 1,
          let bytes = folder?.whole(of: last.id, limit: Self.largestResult),
          let found = try? JSONValue(parsing: bytes)
        else {
          throw HTTPFault(422, "not-verified", folder?.tail(of: last.id) ?? "it ended early")
        }
        return found
      }
    }
    let job = try start(try JobOrder(["kind": "verify"], bench: bench))
    return ["job": job["id"] ?? .null]
  }

  private func begin(
    _ order: JobOrder, in folder: JobFolder, _ then: (@Sendable () -> Void)?
  ) throws(HTTPFault) -> Job {
    let started = Host.time("%Y-%m-%dT%H:%M:%SZ")
    let stamp = Host.time("%Y%m%d-%H%M%S")
    var number = 1
    var id = stamp
    var output: Int32 = -1
    repeat {
      id = "\(stamp)-\(order.kind.rawValue)-\(number)"
      output = open(
        folder.output(of: id), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      number += 1
    } while output < 0 && errno == EEXIST && number < 1000
    guard output >= 0 else {
      throw HTTPFault(500, "runtime", "the job's output cannot be kept in \(folder.path)")
    }
    defer { close(output) }
    flock(output, LOCK_EX | LOCK_NB)
    let name = id
    do throws(HTTPFault) {
      let child = try Child.start(
        [program] + order.arguments, output: output, hasInput: order.kind.isHeld
      ) { [weak self] status in self?.end(name, status) }
      let job = Job(
        id: id, kind: order.kind.rawValue, arguments: order.arguments,
        process: Int(child.process), started: started, child: child, then: then)
      folder.write(Self.note(job), of: id)
      return job
    } catch {
      folder.forget(id)
      throw error
    }
  }

  private func end(_ id: String, _ status: Int32) {
    let job = jobs.withLock { jobs -> Job? in
      guard let place = jobs.firstIndex(where: { $0.id == id }) else { return nil }
      jobs[place].status = Int(status)
      jobs[place].ended = MonotonicClock.seconds
      return jobs[place]
    }
    if let job { folder?.write(Self.note(job), of: id) }
    job?.then?()
  }

  private func find(_ id: String) throws(HTTPFault) -> Job {
    guard let job = jobs.withLock({ jobs in jobs.first { $0.id == id } }) else {
      throw HTTPFault(404, "no-such-job", "there is no such job")
    }
    return job
  }

  private func isRunning(_ job: Job) -> Bool {
    if job.status != nil { return false }
    if let child = job.child { return child.status == nil }
    return folder?.isHeld(job.id) ?? false
  }

  private func forgetOld(_ jobs: inout [Job], in folder: JobFolder) {
    while jobs.count > JobFolder.most {
      guard let place = jobs.firstIndex(where: { !isRunning($0) }) else { return }
      folder.forget(jobs[place].id)
      jobs.remove(at: place)
    }
  }

  private static func note(_ job: Job) -> JSONValue {
    .object(of: [
      "kind": job.kind, "arguments": job.arguments, "process": job.process,
      "started": job.started, "status": job.status, "stopped": job.isStopped,
    ])
  }

  private func json(_ job: Job) -> JSONValue {
    let isRunning = isRunning(job)
    let status = job.status ?? job.child?.status.map(Int.init)
    let state =
      if isRunning {
        "running"
      } else if job.isStopped || status == 130 || status == 143 || status == 129 {
        "stopped"
      } else if status == 0 || status == nil {
        "done"
      } else {
        "failed"
      }
    let said = folder?.tail(of: job.id) ?? ""
    let row = live.rows().first { $0["process"]?.integer == job.process && isRunning }
    return .object(of: [
      "id": job.id, "kind": job.kind, "arguments": job.arguments, "process": job.process,
      "started": job.started, "state": state, "status": status, "live": row?["id"]?.string,
      "run": Self.run(in: said), "said": said,
    ])
  }

  /// The run that a job's output names: "report: ARCHIVE/ID/report.html".
  private static func run(in text: String) -> String? {
    for line in text.split(separator: "\n").reversed()
    where line.hasPrefix("report: ") && line.hasSuffix("/report.html") {
      return line.dropFirst(8).split(separator: "/").dropLast().last.map(String.init)
    }
    return nil
  }
}
