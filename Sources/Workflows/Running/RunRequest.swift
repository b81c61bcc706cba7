public import Acceptance
import Actuators
public import Bench
public import Devices
import RigFiles
import RunArchive

/// Everything that a run needs, read and checked before anything is opened.
public struct RunRequest: Sendable {
  /// The rig, with the actuator that is played alone.
  public let rig: RigDescription
  /// What is played how often, and what must hold.
  public let plan: Plan
  /// The plan's patterns.
  public let patterns: [LoadedPattern]
  let laws: RequestedLaws
  let profile: LoadedProfile?
  /// The rig and the patterns of the control, where another rig is one.
  let control: ControlRequest?
  /// The files that rig, plan and control were read from, for copies of them.
  let sources: RunSources
  let folder: String
  /// Where the run is indexed; beside the run's folder where nothing else is said.
  let archive: ArchiveLocation?
  /// What the caller says of what the run is made in, by name.
  var environment: [String: String]

  /// Reads everything that a run needs.
  ///
  /// - Parameters:
  ///   - order: What is asked for.
  ///   - user: Is told of what is worth knowing.
  /// - Throws: An error of its kind where something of it cannot be read; nothing was opened yet.
  public init(_ order: RunOrder, by user: RigOperator) throws {
    var rig = try order.rig.readToPlay()
    if let actuator = order.actuator { rig = try rig.focused(on: actuator, path: order.rig.file) }
    var (plan, patterns) = try Self.read(order.paths, rig: rig, reading: order.reading)
    if let repeats = order.repeats { plan.repeats = repeats }
    if order.actuator == nil { rig = try rig.focused(on: plan.actuator, path: order.rig.file) }
    let planFolder = PlanFolder(plan: order.paths.first)
    let planned = plan.profile?.choice(for: rig.actuators[0].id).map {
      $0 == PlanProfile.none ? $0 : planFolder.path(of: $0)
    }
    profile = try LoadedProfile.chosen(
      order.profile ?? planned, for: rig, laws: order.laws, by: user)
    control = try ControlRequest(plan, in: planFolder, reading: order.reading)
    sources = RunSources(
      rig: order.rig.file, plan: order.paths.first(where: Self.isPlan),
      controlRig: plan.control?.rigName.map { planFolder.path(of: $0) },
      isStrict: order.reading.isStrict)
    self.rig = rig
    self.plan = plan
    self.patterns = patterns
    laws = order.laws
    folder = order.folder
    archive = order.archive
    environment = order.environment
  }

  private static func isPlan(_ path: String) -> Bool {
    path.hasSuffix(".yaml") || path.hasSuffix(".yml")
  }

  /// Reads a plan or patterns.
  ///
  /// One path that ends in `.yaml` is a plan, whose patterns lie relative to its own folder.
  public static func read(
    _ paths: [String], rig: RigDescription, reading: PatternReading
  ) throws -> (plan: Plan, patterns: [LoadedPattern]) {
    let plans = paths.filter(isPlan)
    guard plans.isEmpty || paths.count == 1 else {
      throw InputError("\(plans[0]): a plan names its own patterns: give it alone")
    }
    let shipped = ShippedLimits(of: rig)
    var plan = Plan.standard(shipped)
    var files = paths
    if let path = plans.first {
      plan = try Plan(
        yaml: RegularFile(path: path).bytes(limit: 1 << 20), file: path, shipped: shipped)
      files = plan.patterns.map { PlanFolder(plan: path).path(of: $0) }
      guard !files.isEmpty else {
        throw InputError("\(path): the plan names no pattern: list files or folders")
      }
    }
    let loader = reading.loader(rate: rig.drive.rate)
    let entries = try PatternSet.expand(files)
    try checkLimits(of: plan, against: entries.map(\.name))
    return (plan, try entries.map { try loader.load($0) })
  }

  /// What is asked of a pattern that is not played would never be asked of anything.
  private static func checkLimits(of plan: Plan, against names: [String]) throws {
    let asked =
      plan.limits.map { ("limit on", $0.reading, $0.patterns) }
      + plan.requirements.map { ("required", $0.reading, $0.patterns) }
      + plan.expectedFailures.map {
        ("expected failure of", $0.reading, $0.pattern.map { [$0] } ?? [])
      }
    // The control's patterns are not read yet, and have names of their own.
    for (what, reading, patterns) in asked where !reading.isControl {
      for name in patterns where !names.contains(name) {
        throw InputError(
          "plan \(plan.name): the \(what) \(reading) names the pattern '\(name)', which is not "
            + "played; played are \(names.prefix(12).joined(separator: ", "))")
      }
    }
  }
}

extension ShippedLimits {
  /// What a rig can show.
  fileprivate init(of rig: RigDescription) {
    self.init(
      hasReference: rig.drive.channels[.reference] != nil
        && rig.capture.channel(.reference) != nil)
    // A recording that was started by hand has an arbitrary delay, and owes none.
    if case .file = rig.drive.device { startsTogether = false }
  }
}

/// The rig of a control and what is played on it, read before anything is opened.
struct ControlRequest: Sendable {
  let rig: RigDescription
  let patterns: [LoadedPattern]

  /// Reads what a plan names; `nil` where it names no other rig.
  init?(_ plan: Plan, in folder: PlanFolder, reading: PatternReading) throws {
    guard let control = plan.control, case .rig(let name) = control.subject else { return nil }
    let path = folder.path(of: name)
    let whole = try RigFolder(file: path).read().rig
    rig = whole.actuators.count > 1 ? try whole.focused(on: nil, path: path) : whole
    let files = control.patterns.isEmpty ? plan.patterns : control.patterns
    let loader = reading.loader(rate: rig.drive.rate)
    let entries = try PatternSet.expand(files.map { folder.path(of: $0) })
    patterns = try entries.map { try loader.load($0) }
  }
}
