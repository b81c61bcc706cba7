import Acceptance
import Bench
import Devices
import HapticRendering
import RigFiles
import Units

/// Everything that a run needs, read and checked before anything is opened.
struct RunRequest {
  var rig: RigDescription
  var plan: Plan
  var patterns: [LoadedPattern]
  var laws: LawOptions
  var profile: LoadedProfile?
  var folder: String
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
      var plan = Plan.standard(
        hasReference: rig.drive.channels[.reference] != nil
          && rig.capture.channel(.reference) != nil,
        hasProbe: rig.actuators[0].kind != .erm)
      if case .file = rig.drive.device {
        // A recording that was started by hand has an arbitrary delay, and owes none.
        for index in plan.limits.indices
        where plan.limits[index].reading.kind == .latencyElectrical {
          plan.limits[index].required = false
        }
      }
      var files = paths
      if let path = plans.first {
        plan = try Plan(yaml: RegularFile(path: path).bytes(limit: 1 << 20), file: path)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        files = plan.patterns.map { $0.hasPrefix("/") ? $0 : joined(folder, $0) }
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

  /// A path below a folder, without the steps down and up again that records need not show.
  private static func joined(_ folder: String, _ path: String) -> String {
    var folders = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var rest = path[...]
    while rest.hasPrefix("../"), let last = folders.last, !["", ".", ".."].contains(last) {
      folders.removeLast()
      rest = rest.dropFirst(3)
    }
    return folders.map { $0 + "/" }.joined() + rest
  }

  /// A limit for a pattern that is not played would never be asked of anything.
  private static func checkLimits(of plan: Plan, against names: [String]) throws {
    for limit in plan.limits {
      for name in limit.patterns where !names.contains(name) {
        throw InputError(
          "plan \(plan.name): the limit on \(limit.reading) names the pattern '\(name)', which is not "
            + "played; played are \(names.prefix(12).joined(separator: ", "))")
      }
    }
  }
}
