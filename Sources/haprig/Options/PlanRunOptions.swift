import ArgumentParser
import RunArchive
import Workflows

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

  /// What is asked for.
  ///
  /// - Parameters:
  ///   - paths: Patterns, folders of them, or one plan.
  ///   - rig: The rig's file, and sound files in the place of its devices.
  ///   - folder: The folder that the run's folder is made in.
  ///   - archive: The archive that the run goes to, where it is known.
  /// - Returns: The order, of which nothing was read yet.
  /// - Throws: A `ValidationError` where the environment is not told by names.
  func order(
    _ paths: [String], on rig: RigChoice, folder: String, archive: ArchiveLocation? = nil
  ) throws -> RunOrder {
    var order = RunOrder(paths, on: rig, folder: folder)
    order.reading = patterns.reading
    order.laws = laws.requested
    order.profile = calibration.profile
    order.actuator = actuator
    order.archive = archive
    order.environment = try EnvironmentOption.read(environment)
    return order
  }
}
