import ArgumentParser
import ChangeDetection
private import Glibc
import Reporting
import RigFiles
import RunArchive
import Workflows

/// Why and who: what every decision is kept with.
struct DecisionOptions: ParsableArguments {
  @Option(name: .long, help: "Why, in a sentence or two, for whoever reads the history later.")
  var why: String

  @Option(name: .long, help: "Who decided (this user).")
  var who: String?

  @Option(name: .long, help: "Only this actuator, by its id.")
  var actuator: String?

  @Option(name: .long, help: "Only this pattern; '' for readings of the whole run.")
  var pattern: String?

  @Option(name: .long, help: "Only this reading, by its name.")
  var reading: String?

  func validate() throws {
    guard why.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("--why is empty: say why, since who reads the history later will ask")
    }
  }

  /// Keeps a decision and says so.
  func keep(
    _ kind: BaselineDecision.Kind, rig: String, day: CalendarDay, in archive: Archive
  ) throws {
    let scope = SeriesScope(rig: rig, actuator: actuator, pattern: pattern, reading: reading)
    try ExitStatus.of {
      let keys = try archive.seriesKeys(rig: rig).map(\.key)
      guard keys.contains(where: scope.contains) else {
        throw ArchiveError(path: "baseline", message: absence(of: scope, among: keys))
      }
      let kept = try KeptDecision(
        kind, scope: scope, day: day, why: why, who: who ?? Self.user,
        given: Moment(seconds: Host.secondsSince1970))
      Console.out("\(try archive.keep(kept)): \(kept.decision.summary)\n")
    }
  }

  /// Why there is no such series: the first option that none answers to, and the names that it has.
  private func absence(of scope: SeriesScope, among keys: [SeriesKey]) -> String {
    var left = keys
    for (name, wanted, what) in [
      (\SeriesKey.reading, scope.reading, "reading"),
      (\SeriesKey.actuator, scope.actuator, "actuator"),
      (\SeriesKey.pattern, scope.pattern, "pattern"),
    ] {
      guard let wanted else { continue }
      let names = Set(left.map { $0[keyPath: name] })
      left.removeAll { $0[keyPath: name] != wanted }
      guard left.isEmpty else { continue }
      let near = Nearest.sorted(names.map { $0.isEmpty ? "''" : $0.printable }, to: wanted)
      let more = near.count > 8 ? " and \(near.count - 8) more" : ""
      let reading = scope.reading.flatMap { what == "reading" ? nil : " with \($0.printable)" }
      return "the rig '\(scope.rig)' has no \(what) '\(wanted.printable)'\(reading ?? ""); the "
        + "nearest it has: \(near.prefix(8).joined(separator: ", "))\(more)"
    }
    return "the rig '\(scope.rig)' has no series of all these at once: haprig history shows them"
  }

  /// The name of this user.
  private static var user: String {
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else {
      return getenv("USER").map { String(cString: $0) } ?? "user \(getuid())"
    }
    return String(cString: name)
  }
}

extension BaselineDecision {
  /// The decision in a line: what, of which series, from when.
  var summary: String {
    let series = [
      scope.reading ?? "every reading",
      scope.pattern.map { $0.isEmpty ? "of the run" : "of \($0)" },
      scope.actuator.map { "of \($0)" }, "on \(scope.rig)",
    ].compactMap(\.self).joined(separator: " ").printable
    let day = CalendarDay(number: day)
    return switch kind {
    case .accepted: "\(series) is accepted as it is on \(day)"
    case .pinned(let run): "\(series) is pinned to \(run.printable)"
    }
  }
}
