import Acceptance
import ArgumentParser
import JSONText
import Reporting
import RunArchive

/// Lists the runs of an archive.
struct ArchiveListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the runs of an archive, the latest first.")

  @OptionGroup var archive: ArchiveOptions

  @Option(name: .long, help: "Only runs of this rig, by its name.")
  var rig: String?

  @Option(name: .long, help: "Only runs of this plan, by its name.")
  var plan: String?

  @Option(name: .long, help: "Only runs with this verdict: pass, marginal, 'not measured' or fail.")
  var verdict: String?

  @Option(name: .long, help: "At most so many runs.")
  var limit = 50

  @Flag(name: .long, help: "Only the latest run of each rig and plan.")
  var latest = false

  @Flag(name: .long, help: "Print the list as JSON.")
  var json = false

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit takes 1 or more, not \(limit)") }
    guard let verdict, Verdict(rawValue: verdict) == nil else { return }
    throw ValidationError(
      "--verdict takes \(Verdict.allCases.map(\.rawValue).joined(separator: ", ")), not '\(verdict)'"
    )
  }

  func run() throws {
    let archive = try archive.open()
    let runs = try ExitStatus.of { try selected(of: archive) }
    guard !json else {
      let list = JSONValue.array(runs.map(Self.json))
      Console.out(list.text(indent: 1, sortedKeys: true) + "\n")
      return
    }
    guard !runs.isEmpty else {
      Console.error("haprig: \(archive.location.description): the archive has no such run")
      return
    }
    let rows = runs.map { run in
      [run.id, run.started.description, run.rig, run.plan, run.verdict.rawValue, "\(run.readings)"]
        .map(\.printable)
    }
    Console.out(
      TextTable(head: ["run", "began", "rig", "plan", "verdict", "readings"], rows: rows).text)
  }

  private func selected(of archive: Archive) throws(ArchiveError) -> [ArchivedRun] {
    let wanted = verdict.flatMap(Verdict.init(rawValue:))
    guard latest else {
      return try archive.runs(
        matching: RunFilter(rig: rig, plan: plan, verdict: wanted, limit: limit))
    }
    let runs = try archive.latestRuns().filter { run in
      (rig ?? run.rig) == run.rig && (plan ?? run.plan) == run.plan
        && (wanted ?? run.verdict) == run.verdict
    }
    return Array(runs.prefix(limit))
  }

  private static func json(_ run: ArchivedRun) -> JSONValue {
    var members = [
      JSONMember("id", .string(run.id)), JSONMember("rig", .string(run.rig)),
      JSONMember("actuator", .string(run.actuator)), JSONMember("plan", .string(run.plan)),
      JSONMember("began", .string(run.started.description)),
      JSONMember("status", .string(run.status.rawValue)),
      JSONMember("verdict", .string(run.verdict.rawValue)),
      JSONMember("software", .string(run.software)),
      JSONMember("readings", .integer(run.readings)),
      JSONMember("record", .string(run.recordHash)),
    ]
    if let revision = run.revision { members.append(JSONMember("revision", .string(revision))) }
    if !run.place.isEmpty { members.append(JSONMember("place", .string(run.place))) }
    return .object(members)
  }
}
