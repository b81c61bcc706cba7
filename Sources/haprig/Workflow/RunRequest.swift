import Acceptance
import Bench
import Devices
import HapticRendering
import RigFiles
import RunArchive
import Units

/// Everything that a run needs, read and checked before anything is opened.
struct RunRequest {
  var rig: RigDescription
  var plan: Plan
  var patterns: [LoadedPattern]
  var laws: LawOptions
  var profile: LoadedProfile?
  /// The rig and the patterns of the control, where another rig is one.
  var control: ControlRequest?
  /// The files that rig, plan and control were read from, for copies of them.
  var sources: RunSources
  var folder: String
  /// Where the run is indexed; beside the run's folder where nothing else is said.
  var archive: ArchiveLocation?
  /// What the caller says of what the run is made in, by name.
  var environment: [String: String] = [:]
  var isQuiet: Bool

  /// Reads a plan or patterns.
  ///
  /// One path that ends in `.yaml` is a plan, whose patterns lie relative to its own folder.
  static func read(
    _ paths: [String], rig: RigDescription, options: PatternOptions
  ) throws -> (plan: Plan, patterns: [LoadedPattern]) {
    try ExitStatus.of {
      let plans = paths.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
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
      let loader = options.loader(rate: rig.drive.rate)
      let entries = try PatternSet.expand(files)
      try checkLimits(of: plan, against: entries.map(\.name))
      return (plan, try entries.map { try loader.load($0) })
    }
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

/// The rig of a control and what is played on it, read before anything is opened.
struct ControlRequest {
  var rig: RigDescription
  var patterns: [LoadedPattern]

  /// Reads what a plan names; `nil` where it names no other rig.
  static func read(
    _ plan: Plan, in folder: PlanFolder, options: PatternOptions
  ) throws -> ControlRequest? {
    guard let control = plan.control, case .rig(let name) = control.subject else { return nil }
    return try ExitStatus.of {
      let path = folder.path(of: name)
      var rig = try RigFolder(file: path).read().rig
      if rig.actuators.count > 1 { rig = try rig.focused(on: nil, path: path) }
      let files = control.patterns.isEmpty ? plan.patterns : control.patterns
      let loader = options.loader(rate: rig.drive.rate)
      let entries = try PatternSet.expand(files.map { folder.path(of: $0) })
      return ControlRequest(rig: rig, patterns: try entries.map { try loader.load($0) })
    }
  }
}
