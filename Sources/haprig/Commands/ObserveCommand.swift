import Acceptance
import ArgumentParser
import Bench
import Devices
private import Glibc
import RigDevices
import RunArchive
import Workflows

/// Runs an app that imports CoreHaptics, keeps what it played, and scores that on the same rig.
struct ObserveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "observe",
    abstract: "Run an app on a rig, and score what it played.",
    discussion: """
      EXAMPLES
        haprig observe --rig rigs/simulated-lra.yaml -- swift run MyApp
        haprig observe --rig my-rig.yaml --no-score -- ./build/MyApp --level 3

      The app imports CoreHaptics and is not changed for it. Each start of its engine is a folder under \
      OUT/starts: drive, response, engine.json, and for each player what it really played as a pattern. \
      These patterns are then measured on the rig as 'haprig run' does, under the same profile: \
      docs/CORE-HAPTICS.md.
      """)

  @Option(
    name: .long, help: "The rig's description (rigs/*.yaml).",
    completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(
    name: .long,
    help:
      "The actuator's profile (calibration/ID.json), a folder of profiles, or 'none' (HAPRIG_PROFILE, else none).",
    completion: .file(extensions: ["json"]))
  var profile: String?

  @Option(
    name: .long, help: "The folder that starts and runs are kept in.", completion: .directory)
  var out = "reports"

  @Flag(
    inversion: .prefixedNo, help: "Measure what was played on the rig, after the app has ended.")
  var score = true

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  @Argument(parsing: .postTerminator, help: "The app and its arguments, after '--'.")
  var command: [String]

  func run() async throws {
    let description = try ExitStatus.of { try RigFolder(file: rig).read().rig }
    let profile = try profileFile(for: description)
    // A rig that cannot be had is told before the app runs, and not in the app's own words.
    try ExitStatus.of { _ = try OpenRig(description) { Console.error("rig: \($0)") } }
    let starts = try ExitStatus.of { try StartFolder(in: out) }
    Interruption.listen()
    let end = try ObservedApp(command).run([
      "HAPRIG_RIG": RegularPath.absolute(rig), "HAPRIG_OBSERVE": RegularPath.absolute(starts.path),
      "HAPRIG_PROFILE": profile.map(RegularPath.absolute) ?? "",
    ])
    let new = try ExitStatus.of { try starts.new() }
    for start in new { Console.out(start.summary) }
    for rest in try ExitStatus.of({ try starts.cutOff() }) {
      Console.out("\(rest): cut off, only sound files are there\n")
    }
    if let number = Interruption.signal.requested {
      throw ExitStatus(
        128 + number, "haprig: stopped by signal \(number): what was played is kept, not scored")
    }
    if let fault = new.compactMap(\.fault).first {
      throw ExitStatus(
        ExitStatus.deviceFault, "haprig: \(fault): what was played is kept, not scored")
    }
    guard end == .exited(0) else {
      throw ExitStatus(
        ExitStatus.failed,
        "haprig: \(command[0]) \(end): "
          + (new.isEmpty ? "it played nothing" : "what it played is kept, not scored"))
    }
    let patterns = new.flatMap(\.patterns)
    guard !patterns.isEmpty else {
      throw ExitStatus(
        ExitStatus.wrongInput,
        "haprig: \(command[0]) played nothing: does it import this CoreHaptics, and start an engine?"
      )
    }
    guard score else { return }
    var arguments =
      patterns + ["--rig", rig, "--out", out, "--profile", profile ?? PlanProfile.none]
    if quiet { arguments.append("--quiet") }
    try await RunCommand.parse(arguments).run()
  }

  /// The file of the profile that drives the rig's actuator, the app's and the score's alike.
  private func profileFile(for rig: RigDescription) throws -> String? {
    let named = getenv("HAPRIG_PROFILE").map { String(cString: $0) } ?? ""
    let choice = profile ?? (named.isEmpty ? PlanProfile.none : named)
    guard choice != PlanProfile.none else { return nil }
    return try ExitStatus.of { try LoadedProfile(path: choice, for: rig).path }
  }
}
