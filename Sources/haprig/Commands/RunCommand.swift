import Acceptance
import ArgumentParser
import Bench
import Devices
import Reporting
import RunArchive

/// Plays patterns or a plan on a rig and scores what it did.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play patterns on a rig, measure what it did, write a report.",
    discussion: """
      EXAMPLES
        haprig run rigs/patterns --rig rigs/simulated-lra.yaml
        haprig run tap.ahap swell.ahap --rig rigs/simulated-vcm.yaml --repeats 5
        haprig run rigs/plans/nightly.yaml --rig rigs/simulated-lra.yaml --json

      A plan says what is played and what must hold: docs/FILE-FORMATS.md, "Plans".

      A rig that is not on line:
        haprig run tap.ahap --rig my-rig.yaml --stimulus out.wav
        (play out.wav on the rig and record in.wav)
        haprig run tap.ahap --rig my-rig.yaml --response in.wav
      """)

  @Argument(
    help: "Pattern files, folders of them, or one plan (*.yaml).",
    completion: .file(extensions: ["ahap", "yaml"]))
  var paths: [String]

  @OptionGroup var rig: RigOptions
  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  @Option(
    name: .long, help: "The actuator's id (the plan's; the rig's only one where none is named).")
  var actuator: String?

  @Option(name: .long, help: "Play each pattern this often, whatever the plan says.")
  var repeats: Int?

  @Option(name: .long, help: "The folder that run folders are made in.", completion: .directory)
  var out = "reports"

  @Option(
    name: .long,
    help: "The archive whose index takes the run: postgres://..., or the folder of --out.")
  var archive: String?

  @Option(
    name: .long,
    help:
      "What the run is made in, for later comparison: revision=..., firmware=..., temperature=...")
  var environment: [String] = []

  @Flag(name: .long, help: "Print the record as JSON instead of the table.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    if let repeats, !(1...10_000).contains(repeats) {
      throw ValidationError("--repeats takes 1 to 10000, not \(repeats)")
    }
  }

  func run() async throws {
    var description = try rig.description()
    if let actuator { description = try focus(description, on: actuator) }
    var (plan, loaded) = try RunRequest.read(paths, rig: description, options: patterns)
    if let repeats { plan.repeats = repeats }
    if actuator == nil { description = try focus(description, on: plan.actuator) }
    let folder = PlanFolder(plan: paths.first)
    let profile = try calibration.read(
      for: description, laws: laws,
      planned: plan.profile?.choice(for: description.actuators[0].id).map {
        $0 == PlanProfile.none ? $0 : folder.path(of: $0)
      })
    let control = try ControlRequest.read(plan, in: folder, options: patterns)
    if rig.stimulus != nil, rig.response == nil {
      try await StimulusWorkflow(
        rig: description, plan: plan, patterns: loaded, laws: laws, profile: profile,
        isQuiet: quiet
      ).execute()
      return
    }
    let location = try ExitStatus.of { try archive.map { try ArchiveLocation($0, reports: out) } }
    let outcome = try await RunWorkflow(
      request: RunRequest(
        rig: description, plan: plan, patterns: loaded, laws: laws, profile: profile,
        control: control,
        sources: RunSources(
          rig: rig.rig, plan: paths.first { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") },
          controlRig: plan.control?.rigName.map { folder.path(of: $0) }, isStrict: patterns.strict),
        folder: out, archive: location, environment: try EnvironmentOption.read(environment),
        isQuiet: quiet)
    ).execute()
    try RunOutput(isJSON: json).show(outcome)
  }

  private func focus(_ description: RigDescription, on id: String?) throws -> RigDescription {
    try ExitStatus.of { try description.focused(on: id, path: rig.rig) }
  }
}

/// Showing what came of a run, and ending with its exit code.
struct RunOutput {
  let isJSON: Bool

  /// Prints the table or the record and where the report lies.
  func show(_ outcome: RunWorkflow.Outcome) throws {
    if isJSON {
      Console.out(outcome.record.text)
    } else {
      Console.out(TextReport.table(record: outcome.record, color: Console.hasColour))
      Console.out("report: \(outcome.folder)/report.html\n")
    }
    if let fault = outcome.fault { throw ExitStatus.status(of: fault) }
    switch outcome.record.verdict {
    case .pass, .marginal: return
    case .fail, .notMeasured: throw ExitStatus(ExitStatus.failed)
    }
  }
}
