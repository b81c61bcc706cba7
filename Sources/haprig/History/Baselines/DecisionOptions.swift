import ArgumentParser
import ChangeDetection
private import Glibc
import RunArchive

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
        let known = Set(keys.map(\.reading)).sorted().prefix(12).joined(separator: ", ")
        throw ArchiveError(
          path: "baseline",
          message:
            "the rig '\(rig)' has no series that this is about; it has readings of \(known): "
            + "haprig history shows them")
      }
      let kept = try KeptDecision(
        kind, scope: scope, day: day, why: why, who: who ?? Self.user,
        given: Moment(seconds: Host.secondsSince1970))
      Console.out("\(try archive.keep(kept)): \(kept.decision.summary)\n")
    }
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
