package import Acceptance
import Actuators
package import Bench
package import Devices
import Perception
import Profiles
import RigFiles
package import RunArchive

package struct RunOrder: Sendable {
  /// Patterns, folders of them, or one plan.
  package var paths: [String]
  package var rig: RigChoice
  package var folder: String
  package var reading = PatternReading()
  package var laws = RequestedLaws()
  /// A profile, a folder of profiles, or `none`; `nil` for what the plan says.
  package var profile: String?
  /// The actuator's id; `nil` for the plan's, or the rig's only one.
  package var actuator: String?
  /// How often each pattern is played; `nil` for what the plan says.
  package var repeats: Int?
  /// The archive that the run goes to; `nil` for the one beside its folder.
  package var archive: ArchiveLocation?
  /// What the run is made in, by name.
  package var environment: [String: String] = [:]

  package init(_ paths: [String], on rig: RigChoice, folder: String) {
    self.paths = paths
    self.rig = rig
    self.folder = folder
  }
}

/// Everything that a run needs, read and checked before anything is opened.
package struct RunRequest: Sendable {
  /// The rig, with the actuator that is played alone.
  package let rig: RigDescription
  package let plan: Plan
  package let patterns: [LoadedPattern]
  let profile: LoadedProfile?
  /// The rig and the patterns of the control, where another rig is one.
  let control: ControlRequest?
  var order: RunOrder

  package init(_ order: RunOrder, by user: RigOperator) throws {
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
    self.rig = rig
    self.plan = plan
    self.patterns = patterns
    self.order = order
  }

  var laws: RequestedLaws { order.laws }

  /// The plan's file, where one was named.
  var planFile: String? { order.paths.first(where: Self.isPlan) }

  var builder: TakeBuilder {
    TakeBuilder(rig: rig, laws: laws.configuration, profile: profile?.profile, hasProbe: plan.probe)
  }

  var target: IntensityTarget { profile?.profile.laws.target ?? laws.target }

  private static func isPlan(_ path: String) -> Bool {
    path.hasSuffix(".yaml") || path.hasSuffix(".yml")
  }

  /// One path that ends in `.yaml` is a plan, whose patterns lie relative to its own folder.
  package static func read(
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
    let loader = PatternLoader(rate: rig.drive.rate, reading: reading)
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
  fileprivate init(of rig: RigDescription) {
    self.init(
      hasReference: rig.drive.channels[.reference] != nil && rig.capture.channel(.reference) != nil)
    // A recording that was started by hand has an arbitrary delay, and owes none.
    if case .file = rig.drive.device { startsTogether = false }
  }
}

struct ControlRequest: Sendable {
  let file: String
  let rig: RigDescription
  let patterns: [LoadedPattern]

  /// Reads what a plan names; `nil` where it names no other rig.
  init?(_ plan: Plan, in folder: PlanFolder, reading: PatternReading) throws {
    guard let control = plan.control, case .rig(let name) = control.subject else { return nil }
    file = folder.path(of: name)
    let whole = try RigFolder(file: file).read().rig
    rig = whole.actuators.count > 1 ? try whole.focused(on: nil, path: file) : whole
    let files = control.patterns.isEmpty ? plan.patterns : control.patterns
    let loader = PatternLoader(rate: rig.drive.rate, reading: reading)
    let entries = try PatternSet.expand(files.map { folder.path(of: $0) })
    patterns = try entries.map { try loader.load($0) }
  }
}

/// The folder that the paths in a plan are counted from.
struct PlanFolder {
  private let folder: String

  /// The folder of a plan's file; of no plan, the working folder.
  init(plan file: String?) {
    folder = file.flatMap { file in file.lastIndex(of: "/").map { String(file[...$0]) } } ?? ""
  }

  /// A path as the plan names it, without the steps down and up again that records need not show.
  func path(of name: String) -> String {
    guard !name.hasPrefix("/") else { return name }
    var folders = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var rest = name[...]
    while rest.hasPrefix("../"), let last = folders.last, !["", ".", ".."].contains(last) {
      folders.removeLast()
      rest = rest.dropFirst(3)
    }
    return folders.map { $0 + "/" }.joined() + rest
  }
}
