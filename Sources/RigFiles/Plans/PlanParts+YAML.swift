import Acceptance
import Units

extension PlanProfile {
  /// Reads a profile's file or folder or `none`, or one for each actuator.
  init(_ node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      self = .all(try node.text())
      return
    }
    var paths: [String: String] = [:]
    for entry in try node.entries() {
      paths[try entry.key.identifier()] = try entry.value.text()
    }
    self = .byActuator(paths)
  }
}

extension SetupChecks {
  private enum Key: String, FileKey {
    case noiseFloor = "noise-floor"
    case gravity, temperature, reference, response
    case diskSpace = "disk-space"
  }

  /// Reads what is looked at before the first take.
  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "'setup'")
    self.init(
      noiseFloor: try map[.noiseFloor]?.quantity(.acceleration, .above(0, upTo: 1e5)),
      gravity: try map[.gravity]?.quantity(.acceleration, .from(-12, upTo: 12)),
      temperature: try map[.temperature].map { node throws(RigFileError) in
        try Self.range(node)
      },
      reference: try map[.reference]?.flag() ?? false,
      response: try map[.response]?.flag() ?? false,
      diskSpace: try map[.diskSpace]?.flag() ?? false)
  }

  private static func range(_ node: YAMLNode) throws(RigFileError) -> ClosedRange<Double> {
    let ends = try node.items(example: "[18 degC, 28 degC]")
    guard ends.count == 2 else {
      throw node.error("\(node.label) needs two ends, the colder first: [18 degC, 28 degC]")
    }
    let coldest = try ends[0].quantity(.temperature, .from(-100, upTo: 200))
    let warmest = try ends[1].quantity(.temperature, .from(-100, upTo: 200))
    guard coldest <= warmest else {
      throw ends[0].error("the colder end of \(node.label) stands first")
    }
    return coldest...warmest
  }
}

extension ControlPlan {
  private enum Key: String, FileKey {
    case rig, loop, patterns, every
  }

  /// Reads the A/A control.
  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "'control'")
    if map[.rig] != nil {
      try map.refuse([.loop], because: "the control is of another rig already")
    }
    guard let subject = try Self.subject(map) else {
      throw node.error(
        "a control is of another rig or of the loop: write 'rig: ../simulated-lra.yaml' or "
          + "'loop: true'")
    }
    if subject == .loop {
      try map.refuse([.patterns], because: "the electrical loop plays sweeps of its own")
    }
    self.init(
      subject, patterns: try map[.patterns]?.texts(example: "[../patterns/steps.ahap]") ?? [],
      every: try map[.every]?.integer(1...100_000))
  }

  private static func subject(_ map: MapReader<Key>) throws(RigFileError) -> Subject? {
    if let rig = map[.rig] { return .rig(try rig.text()) }
    return try map[.loop]?.flag() == true ? .loop : nil
  }
}

extension Requirement {
  private enum Key: String, FileKey {
    case reading, patterns
  }

  /// Reads a reading that has to be measured: its name, or a map with its patterns.
  init(_ node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      self.init(try node.reading())
      return
    }
    let map = try MapReader<Key>(node, "a required reading")
    self.init(
      try map.require(.reading, example: "latency.onset").reading(),
      patterns: try map[.patterns]?.texts(example: "[taps-isolated]") ?? [])
  }
}

extension ExpectedFailure {
  private enum Key: String, FileKey {
    case reading, pattern, why
  }

  /// Reads an expected failure, which has to be of a reading that a limit judges.
  init(_ node: YAMLNode, limits: [Limit]) throws(RigFileError) {
    let map = try MapReader<Key>(node, "an expected failure")
    let reading = try map.require(.reading, example: "decay.error")
    self.init(
      try reading.reading(), pattern: try map[.pattern]?.text(),
      why: try map.require(.why, example: "this driver cannot brake").text())
    let isJudged = limits.contains {
      $0.reading == self.reading && (pattern == nil || $0.applies(to: pattern))
    }
    guard isJudged else {
      let place = pattern.map { " of the pattern \($0.quoted)" } ?? ""
      throw reading.error(
        "no limit judges \(self.reading)\(place), so it cannot fail: give it a limit")
    }
  }
}
