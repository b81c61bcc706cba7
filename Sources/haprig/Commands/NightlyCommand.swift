import ArgumentParser
import Bench
import Devices
import Reporting
import RunArchive

/// A rig's night from the run to the page, for a timer to start.
struct NightlyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightly",
    abstract: "Run a plan, hold it against the nights before, write a page, prune: a rig's night.",
    discussion: """
      One after the other: takes the rig's lock in the archive, runs the plan, looks for changes, runs the \
      plan once more where a change rests on this night alone, writes the page, and prunes. docs/NIGHTLY.md has a systemd \
      timer for it and an example for continuous integration.

      EXAMPLES
        haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --archive /srv/haprig
        haprig nightly --rig rigs/bench-1.yaml --plan rigs/plans/nightly.yaml --archive /srv/haprig \
      --keep-recordings 30 --metrics /var/lib/node_exporter/haprig.prom

      EXIT CODES
        0 the run passed and nothing changed for the worse    1 the run failed, or something did
        2 wrong usage or input    3 a device fault, or the rig's night is running already
        130, 143 interrupted
      """)

  @OptionGroup var rig: RigOptions

  @Option(name: .long, help: "The plan's file.", completion: .file(extensions: ["yaml"]))
  var plan: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "OPTIONS OF THE RUN") var playing: PlanRunOptions

  @Option(name: .long, help: "How many days up to this night are looked at.")
  var days = HistoryQuestion.standardDays

  @Flag(
    inversion: .prefixedNo,
    help: "Run the plan once more where a change rests on this night alone.")
  var rerun = true

  @Option(name: .long, help: "Days for which recordings are kept; for ever where not said.")
  var keepRecordings: Int?

  @Option(name: .long, help: "Days for which whole runs are kept; for ever where not said.")
  var keepRuns: Int?

  @Option(
    name: .long,
    help: "Write the history as one page to this file (nightly-RIG-PLAN.html in the archive).",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    name: .long, help: "Write the run and the outcome as OpenMetrics text to this file.",
    completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    guard (1...36_500).contains(days) else {
      throw ValidationError("--days takes 1 to 36500, not \(days)")
    }
    guard rig.stimulus == nil, rig.response == nil else {
      throw ValidationError(
        "a night plays on a rig that is on line: leave out --stimulus and --response")
    }
  }

  func run() async throws {
    let location = try archive.location()
    let request = try playing.request(
      [plan], rig: rig, location: location, folder: location.folder, isQuiet: quiet)
    try await NightlyWorkflow(
      request: request, location: location, days: days, hasRerun: rerun,
      retention: try retention(), metrics: metrics, html: html
    ).execute()
  }

  /// How long what is kept; `nil` for ever.
  private func retention() throws -> Retention? {
    guard keepRecordings != nil || keepRuns != nil else { return nil }
    return try ExitStatus.of { try Retention(recordings: keepRecordings, runs: keepRuns) }
  }
}
