// SPDX-License-Identifier: Apache-2.0

package import JSONText
import Reporting
package import RigFiles
package import RunArchive

/// The state of a fleet, rig by rig.
package struct FleetStatus: Sendable {
  package enum State: String, Sendable {
    case free, running, waiting, reserved, drained
  }

  package struct Row: Sendable {
    package let rig: FleetFile.Rig
    package let state: State
    /// The job that has the rig.
    package let running: FleetBook.Job?
    /// How many jobs wait for it.
    package let waiting: Int
    package let hold: FleetBook.Hold?
    /// Its newest job that is over.
    package let last: FleetBook.Job?
    /// A job that has waited for longer than it may take; `nil` where there is none.
    package let overdue: FleetBook.Job?
  }

  package let rows: [Row]
  package let page: FleetBook.Page

  package init(_ fleet: FleetFile, _ page: FleetBook.Page) {
    self.page = page
    rows = fleet.rigs.map { rig in
      let open = page.open.filter { $0.rig == rig.name }
      let running = open.first { $0.state != .waiting }
      let waiting = open.filter { $0.state == .waiting }
      let hold = page.holds.first { $0.rig == rig.name }
      let isDrained = page.drains.contains { $0.machine == rig.machine }
      let state: State =
        running != nil
        ? .running
        : hold != nil ? .reserved : isDrained ? .drained : waiting.isEmpty ? .free : .waiting
      let overdue = open.first { job in
        let limit = fleet.plans.first { $0.name == job.plan }?.limit ?? .infinity
        return job.state == .waiting && job.late > limit
      }
      let last = page.last.filter { $0.rig == rig.name }.max { $0.due < $1.due }
      return Row(
        rig: rig, state: state, running: running, waiting: waiting.count, hold: hold, last: last,
        overdue: overdue)
    }
  }

  package var json: JSONValue {
    .object(of: [
      "now": page.now, "hasClerk": page.hasClerk,
      "rigs": rows.map { row -> JSONValue in
        .object(of: [
          "rig": row.rig.name, "machine": row.rig.machine, "model": row.rig.model,
          "state": row.state.rawValue, "running": row.running.map(Self.json),
          "waiting": row.waiting,
          "reserved": row.hold.map { hold -> JSONValue in
            .object(of: ["who": hold.who, "why": hold.why, "until": hold.until])
          }, "last": row.last.map(Self.json), "overdue": row.overdue?.id,
        ])
      }, "open": page.open.map(Self.json),
      "drained": page.drains.map { drain -> JSONValue in
        .object(of: ["machine": drain.machine, "who": drain.who, "why": drain.why])
      },
    ])
  }

  /// A job as lists have it.
  package static func json(_ job: FleetBook.Job) -> JSONValue {
    .object(of: [
      "job": job.id, "plan": job.plan, "rig": job.rig, "state": job.state.rawValue,
      "attempts": job.attempts, "code": job.code, "said": job.said, "due": job.due,
      "began": job.began, "ended": job.ended,
    ])
  }

  /// A table for people; times are told as so long ago, or so long from now.
  package var text: String {
    var lines = [["RIG", "MACHINE", "STATE", "LAST", "OVERDUE"]]
    for row in rows {
      lines.append([
        row.rig.name, row.rig.machine, words(of: row), row.last.map(words) ?? "none yet",
        row.overdue.map { "\($0.id), \(Self.span($0.late)) late" } ?? "",
      ])
    }
    let widths = (0..<5).map { column in lines.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for line in lines {
      let cells = zip(line, widths).map { $0.padded(to: $1) }
      text += cells.joined(separator: "  ").trimmingTrailingBlanks + "\n"
    }
    let waiting = page.open.filter { $0.state == .waiting }.count
    let running = page.open.count - waiting
    text += "\n\(waiting) \(waiting == 1 ? "job waits" : "jobs wait"), "
    text += "\(running) \(running == 1 ? "runs" : "run")\n"
    for drain in page.drains {
      text += "\(drain.machine) is drained by \(drain.who): \(drain.why)\n"
    }
    if !page.hasClerk { text += "no master is at work: jobs wait until one is\n" }
    return text
  }

  private func words(of row: Row) -> String {
    let more = row.waiting > 0 ? ", \(row.waiting) waiting" : ""
    switch row.state {
    case .running:
      let since = row.running?.began.map { ", \(Self.span(page.now - $0))" } ?? ""
      return "\(row.running?.plan ?? "")\(since)\(more)"
    case .reserved:
      let hold = row.hold
      return
        "\(hold?.who ?? ""): \(hold?.why ?? ""), \(Self.span((hold?.until ?? 0) - page.now)) left\(more)"
    case .waiting: return "\(row.waiting) waiting"
    case .free, .drained: return row.state.rawValue + more
    }
  }

  private func words(_ job: FleetBook.Job) -> String {
    let ago = job.ended.map { " \(Self.span(page.now - $0)) ago" } ?? ""
    let outcome =
      switch (job.state, job.code) {
      case (.cancelled, _): "cancelled"
      case (_, 0): "passed"
      case (_, 1): "failed"
      case (_, 75): "not done, rig held"
      case (_, let code): "fault (\(code.map(String.init) ?? "no code"))"
      }
    return "\(job.plan) \(outcome)\(ago)"
  }

  /// A length of time in its two largest units.
  static func span(_ seconds: Double) -> String {
    let whole = Int(max(0, seconds).rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min" }
    if whole < 86_400 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
    return "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
  }
}

extension String {
  fileprivate var trimmingTrailingBlanks: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
