import ArgumentParser
import ChangeDetection
import Devices
import JSONText
import Reporting
import RigFiles
import RunArchive
import Workflows

struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Accept a new level, pin one to a run, list and withdraw such decisions.",
    discussion: """
      A change that somebody accepted raises no alarm, and the nights after it are what later ones are held \
      against. A pinned run is the level itself and is never pruned. Of the decisions about a series the one \
      given last counts, but a pin stands until it is withdrawn or a later decision names all that it names. \
      Each is a file in the archive's folder 'baselines', with who, when and why.

      EXAMPLES
        haprig baseline accept --rig bench-1 --incident 2026-11-21 --why "new amplifier"
        haprig baseline accept --rig bench-1 --reading 'latency.onset' --why "new amplifier, +0.4 ms"
        haprig baseline pin 20261121-020000-bench-1-nightly --why "golden sample, measured in the lab"
        haprig baseline list --rig bench-1
        haprig baseline withdraw 20261121T093000Z-1f3a77c0.json
      """,
    subcommands: [
      BaselineAcceptCommand.self, BaselinePinCommand.self, BaselineListCommand.self,
      BaselineWithdrawCommand.self,
    ])
}

struct BaselineAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept every change up to a night: this is how it should be.")

  @OptionGroup var archive: ArchiveOptions

  @Option(help: "The rig, by its name in the archive.")
  var rig: String

  @Option(
    help: ArgumentHelp(
      "The night up to which changes are accepted (the rig's newest).", valueName: "day"))
  var until: String?

  @Option(
    help: ArgumentHelp(
      "Accept what began on this day, with all readings that haprig regress lists with it.",
      valueName: "day"))
  var incident: String?

  @Option(help: "The plan whose nights --incident is of, where the rig has several.")
  var plan: String?

  @OptionGroup var decision: DecisionOptions

  func validate() throws {
    try Usage.requireDay("--until", until)
    try Usage.requireDay("--incident", incident)
    try Usage.require(
      incident == nil || until == nil,
      "--incident accepts what happened on one day, and --until all up to a day: name one of them")
    try Usage.require(incident != nil || plan == nil, "--plan goes with --incident")
  }

  func run() throws {
    let archive = try archive.open()
    let plans = try RigPlans(archive, rig: rig)
    if let day = incident.flatMap({ CalendarDay($0) }) {
      let question = HistoryQuestion(rig: rig, plan: try plans.plan(plan))
      return try accept(day, in: try HistoryReader(archive, question).report(), archive)
    }
    let newest = try archive.runs(matching: RunFilter(rig: rig, limit: 1)).first?.day
    guard let newest else { return }
    let day = until.flatMap { CalendarDay($0) } ?? newest
    guard day <= newest else {
      throw ExitStatus(
        .wrongInput,
        "--until \(day): the newest night of '\(rig.printable)' is \(newest), and what nobody "
          + "has seen cannot be accepted: leave --until out, or name a day up to it")
    }
    try decision.keep(.accepted, rig: rig, day: day, in: archive)
  }

  /// Accepts each changed series of a day's incidents by itself: other series keep their baselines
  /// and pins.
  private func accept(
    _ day: CalendarDay, in report: HistoryReport, _ archive: Archive
  ) throws {
    let all = report.incidents
    // A view of fewer nights may have another of them lead.
    let led = all.filter { $0.lead.point.day == day.number }
    let incidents = led.isEmpty ? all.filter { $0.days.contains(day.number) } : led
    guard !incidents.isEmpty else {
      let days = Set(all.map(\.lead.point.day)).sorted(by: >)
        .map { CalendarDay(number: $0).description }
      throw ExitStatus(
        .wrongInput,
        "--incident \(day): nothing changed on that day"
          + (days.isEmpty ? "" : "; changes began on \(Count.list(days, atMost: 8))"))
    }
    let wanted = decision.scope(rig: rig)
    let changes = incidents.flatMap { incident in
      incident.changes.map { (key: $0.alarm.key, day: incident.days.upperBound) }
    }.filter { wanted.contains($0.key) }
    guard !changes.isEmpty else {
      throw ExitStatus(
        .wrongInput,
        "--incident \(day): no series that changed then is meant by --reading, --pattern and "
          + "--actuator")
    }
    try decision.keep(
      .accepted,
      of: changes.map { (SeriesScope($0.key), CalendarDay(number: $0.day)) }, in: archive)
  }
}

struct BaselinePinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Make what one run measured the baseline; the run is kept for ever.")

  @Argument(help: ArgumentHelp("The run, by the name of its folder.", valueName: "run"))
  var id: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var decision: DecisionOptions

  func run() throws {
    let archive = try archive.open()
    let run = try archive.run(id)
    try decision.keep(.pinned(run: run.id), rig: run.rig, day: run.day, in: archive)
  }
}

struct BaselineListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the decisions, in the order in which they were given.")

  @OptionGroup var archive: ArchiveOptions

  @Option(help: "Only decisions about this rig.")
  var rig: String?

  @Flag(help: "Print the decisions as JSON, each with the name of its file.")
  var json = false

  func run() throws {
    let archive = try archive.open()
    let decisions = try archive.decisions()
      .filter { (rig ?? $0.kept.decision.scope.rig) == $0.kept.decision.scope.rig }
    guard !json else {
      let list = decisions.map { file, kept in
        JSONValue.object([JSONMember("file", .string(file))] + (kept.json.members ?? []))
      }
      return Console.out(.array(list), sortedKeys: true)
    }
    guard !decisions.isEmpty else {
      return Console.error(
        "haprig: \(archive.location.description): nobody has decided on a baseline yet")
    }
    for (file, kept) in decisions {
      let decision = kept.decision
      Console.out(
        "\(file.printable)\n  \(decision.summary)\n"
          + "  \(decision.who.printable), \(decision.when): \(decision.why.printable)\n")
    }
  }
}

struct BaselineWithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw",
    abstract: "Take a decision back: the one before it holds again, or none.")

  @Argument(help: "The decision's file, as 'haprig baseline list' names it.")
  var file: String

  @OptionGroup var archive: ArchiveOptions

  func run() throws {
    let archive = try archive.open()
    try archive.withdraw(decision: file)
    Console.out("\(file.printable): withdrawn\n")
  }
}

struct DecisionOptions: ParsableArguments {
  @Option(help: "Why, in a sentence or two, for whoever reads the history later.")
  var why: String

  @Option(help: "Who decided (this user).")
  var who: String?

  @Option(help: "Only this actuator, by its id.")
  var actuator: String?

  @Option(help: "Only this pattern; '' for readings of the whole run.")
  var pattern: String?

  @Option(help: "Only this reading, by its name.")
  var reading: String?

  func validate() throws {
    guard why.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("--why is empty: say why, since who reads the history later will ask")
    }
  }

  func scope(rig: String) -> SeriesScope {
    SeriesScope(rig: rig, actuator: actuator, pattern: pattern, reading: reading)
  }

  func keep(
    _ kind: BaselineDecision.Kind, rig: String, day: CalendarDay, in archive: Archive
  ) throws {
    let scope = scope(rig: rig)
    let keys = try archive.seriesKeys(rig: rig).map(\.key)
    guard keys.contains(where: scope.contains) else {
      throw ArchiveError(path: "baseline", message: absence(of: scope, among: keys))
    }
    try keep(kind, of: [(scope, day)], in: archive)
  }

  func keep(
    _ kind: BaselineDecision.Kind, of series: [(scope: SeriesScope, day: CalendarDay)],
    in archive: Archive
  ) throws {
    let now = Moment(seconds: Host.secondsSince1970)
    let kept = try series.map { scope, day in
      try KeptDecision(kind, scope: scope, day: day, why: why, who: who ?? Host.user, given: now)
    }
    for (file, kept) in zip(try archive.keep(kept), kept) {
      Console.out("\(file): \(kept.decision.summary)\n")
    }
    for (file, pin) in try pins(standingAgainst: kept.map(\.decision), in: archive) {
      Console.out(
        "\(pin.summary), and stays so: decide on it by name, or 'haprig baseline withdraw "
          + "\(file.printable)'\n")
    }
  }

  /// The pins of series that decisions are about, but that are narrower than these.
  private func pins(
    standingAgainst decisions: [BaselineDecision], in archive: Archive
  ) throws(ArchiveError) -> [(file: String, pin: BaselineDecision)] {
    let all = try archive.decisions()
    let pins = all.filter { pin in
      let pin = pin.kept.decision
      return pin.run != nil && decisions.contains { !pin.scope.contains($0.scope) }
    }
    guard !pins.isEmpty else { return [] }
    var standing: Set<BaselineDecision> = []
    for rig in Set(decisions.map(\.scope.rig)) {
      for key in try archive.seriesKeys(rig: rig).map(\.key)
      where decisions.contains(where: { $0.scope.contains(key) }) {
        let holding = BaselineDecision.holding(for: key, among: all.map(\.kept.decision))
        if let holding { standing.insert(holding) }
      }
    }
    return pins.map { ($0.file, $0.kept.decision) }.filter { standing.contains($0.1) }
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
      let names = Set(left.map { $0[keyPath: name] }).sorted()
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
}

extension BaselineDecision {
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
