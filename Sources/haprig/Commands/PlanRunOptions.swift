import Acceptance
import ArgumentParser
import Bench
import Devices
import RunArchive

/// How what is played is played: the same for one run, a re-run and a night.
struct PlanRunOptions: ParsableArguments {
  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  @Option(
    name: .long, help: "The actuator's id (the plan's; the rig's only one where none is named).")
  var actuator: String?

  @Option(
    name: .long,
    help:
      "What the run is made in, for later comparison: revision=..., firmware=..., temperature=...")
  var environment: [String] = []

  /// Reads everything that a run needs.
  ///
  /// - Parameters:
  ///   - paths: Patterns, folders of them, or one plan.
  ///   - rig: The rig's file, and sound files in the place of its devices.
  ///   - repeats: How often each pattern is played, whatever the plan says.
  ///   - location: The archive that the run goes to, where it is known.
  ///   - folder: The folder that the run's folder is made in.
  ///   - isQuiet: Whether no progress is shown.
  /// - Returns: The request, of which nothing was opened yet.
  /// - Throws: An `ExitStatus` where something of it cannot be read.
  func request(
    _ paths: [String], rig: RigOptions, repeats: Int? = nil, location: ArchiveLocation? = nil,
    folder: String, isQuiet: Bool
  ) throws -> RunRequest {
    var description = try rig.description()
    if let actuator { description = try focus(description, on: actuator, of: rig) }
    var (plan, loaded) = try RunRequest.read(paths, rig: description, options: patterns)
    if let repeats { plan.repeats = repeats }
    if actuator == nil { description = try focus(description, on: plan.actuator, of: rig) }
    let planFolder = PlanFolder(plan: paths.first)
    let profile = try calibration.read(
      for: description, laws: laws,
      planned: plan.profile?.choice(for: description.actuators[0].id).map {
        $0 == PlanProfile.none ? $0 : planFolder.path(of: $0)
      })
    return RunRequest(
      rig: description, plan: plan, patterns: loaded, laws: laws, profile: profile,
      control: try ControlRequest.read(plan, in: planFolder, options: patterns),
      sources: RunSources(
        rig: rig.rig, plan: paths.first { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") },
        controlRig: plan.control?.rigName.map { planFolder.path(of: $0) },
        isStrict: patterns.strict),
      folder: folder, archive: location, environment: try EnvironmentOption.read(environment),
      isQuiet: isQuiet)
  }

  private func focus(
    _ description: RigDescription, on id: String?, of rig: RigOptions
  ) throws -> RigDescription {
    try ExitStatus.of { try description.focused(on: id, path: rig.rig) }
  }
}
