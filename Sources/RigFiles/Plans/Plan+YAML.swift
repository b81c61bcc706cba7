// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Units

extension Plan {
  private enum Key: String, FileKey {
    case name, patterns, repeats, restarts, order, seed, actuator, profile, setup, control
    case limits, required
    case expectFailure = "expect-failure"
    case notes, probe, recordings
  }

  /// Reads a plan.
  ///
  /// Paths of patterns stay as written, to be taken from the plan's own folder; nothing is opened.
  /// The form is in docs/FILE-FORMATS.md. A file has at most 1 MiB; one that states no limits has the shipped ones.
  /// `hasRig` says whether a rig file is there, by the path that the plan has for it.
  package init(
    yaml bytes: [UInt8], file: String, shipped: ShippedLimits = ShippedLimits(),
    hasRig: (_ path: String) -> Bool = { _ in true }
  ) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    let map = try MapReader<Key>(root, "a plan")
    let repeats = try map[.repeats]?.integer(1...10_000) ?? 1
    let probe = try map[.probe]?.flag() ?? true
    let limits = try map[.limits].map(Self.limits) ?? shipped.limits(hasProbe: probe)
    self.init(
      name: try map.require(.name, example: "nightly").text(),
      patterns: try map[.patterns]?.texts(example: "[../patterns]") ?? [],
      repeats: repeats, restarts: try Self.restarts(map[.restarts], repeats: repeats),
      order: try map[.order]?.choice(Order.self, "an order of takes") ?? .asWritten,
      seed: try map[.seed]?.integer(0...UInt64.max) ?? 1,
      actuator: try map[.actuator]?.identifier(),
      profile: try map[.profile].map(PlanProfile.init),
      setup: try map[.setup].map(SetupChecks.init),
      control: try map[.control].map { node throws(RigFileError) in
        try ControlPlan(node, hasRig: hasRig)
      },
      limits: limits,
      requirements: try map[.required]?.items(example: "[latency.transport]")
        .map(Requirement.init) ?? [],
      expectedFailures: try Self.expectations(map[.expectFailure], limits),
      notes: try Self.notes(map[.notes]), probe: probe,
      recordings: try Self.recordings(map[.recordings]))
  }

  private static func recordings(_ node: YAMLNode?) throws(RigFileError) -> Recordings {
    guard let node else { return .packed }
    switch try node.text() {
    case "true": return .packed
    case "false": return .none
    case "float": return .float
    case let text:
      throw node.error("\(node.label) is \(text.quoted): write true, false or float")
    }
  }

  private static func restarts(_ node: YAMLNode?, repeats: Int) throws(RigFileError) -> Int {
    guard let node else { return 0 }
    let restarts = try node.integer(0...9_999)
    try node.check(
      restarts < repeats,
      "\(restarts) restarts part the repeats of each pattern into \(restarts + 1), and there "
        + "\(repeats == 1 ? "is 1" : "are \(repeats)"): write 'repeats: \(restarts + 1)' or more, or "
        + "fewer restarts")
    return restarts
  }

  private static func notes(_ node: YAMLNode?) throws(RigFileError) -> [String] {
    guard let node else { return [] }
    if case .scalar = node.content { return [try node.text()] }
    return try node.texts(example: "[the sensor was mounted anew]")
  }

  private static func expectations(
    _ node: YAMLNode?, _ limits: [Limit]
  ) throws(RigFileError) -> [ExpectedFailure] {
    guard let node else { return [] }
    var found: [(node: YAMLNode, expected: ExpectedFailure)] = []
    let example = "[{reading: decay.error, pattern: swell, why: no brake on this driver}]"
    for item in try node.items(example: example) {
      let expected = try ExpectedFailure(item, limits: limits)
      let isTwice = found.first { earlier in
        earlier.expected.reading == expected.reading
          && (earlier.expected.pattern == nil || expected.pattern == nil
            || earlier.expected.pattern == expected.pattern)
      }
      if let isTwice {
        throw item.error(
          "this is expected on line \(isTwice.node.position.line) already: remove one of the two")
      }
      found.append((item, expected))
    }
    return found.map(\.expected)
  }

  private static func limits(_ node: YAMLNode) throws(RigFileError) -> [Limit] {
    // An empty list says that nothing is judged; no list, that the shipped limits are right.
    if case .list(let items) = node.content, items.isEmpty { return [] }
    var limits: [(node: YAMLNode, limit: Limit)] = []
    for item in try node.items(example: "[{reading: xruns, below: 0}]") {
      let limit = try Limit(item)
      // A reading is judged by the first limit that holds for its pattern.
      if let earlier = limits.first(where: { $0.limit.hides(limit) }) {
        throw item.error(
          "this limit is never used, because the one on line \(earlier.node.position.line) holds "
            + "for the same patterns: remove one, or put the one with fewer patterns, or of calibrated runs, "
            + "first")
      }
      limits.append((item, limit))
    }
    return limits.map(\.limit)
  }
}

extension Limit {
  fileprivate func hides(_ later: Limit) -> Bool {
    reading == later.reading && (!isCalibratedOnly || later.isCalibratedOnly)
      && (patterns.isEmpty
        || !later.patterns.isEmpty && later.patterns.allSatisfy(patterns.contains))
  }
}

extension YAMLNode {
  func texts(example: String) throws(RigFileError) -> [String] {
    try items(example: example).map { item throws(RigFileError) in try item.text() }
  }
}

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

  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "'setup'")
    self.init(
      noiseFloor: try map[.noiseFloor]?.quantity(.acceleration, .above(0, upTo: 1e5)),
      gravity: try map[.gravity]?.quantity(.acceleration, .from(-12, upTo: 12)),
      temperature: try map[.temperature].map(Self.range),
      reference: try map[.reference]?.flag() ?? false,
      response: try map[.response]?.flag() ?? false,
      diskSpace: try map[.diskSpace]?.flag() ?? false)
  }

  private static func range(_ node: YAMLNode) throws(RigFileError) -> ClosedRange<Double> {
    let ends = try node.items(example: "[18 degC, 28 degC]")
    try node.check(
      ends.count == 2, "\(node.label) needs two ends, the colder first: [18 degC, 28 degC]")
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

  init(_ node: YAMLNode, hasRig: (String) -> Bool) throws(RigFileError) {
    let map = try MapReader<Key>(node, "'control'")
    if map[.rig] != nil {
      try map.refuse([.loop], because: "the control is of another rig already")
    }
    guard let subject = try Self.subject(map, hasRig) else {
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

  private static func subject(
    _ map: MapReader<Key>, _ hasRig: (String) -> Bool
  ) throws(RigFileError) -> Subject? {
    if let rig = map[.rig] {
      let path = try rig.text()
      try rig.check(
        hasRig(path),
        "'control' is of the rig \(path.quoted), and there is no such file: paths are taken from the "
          + "plan's folder")
      return .rig(path)
    }
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

extension Limit {
  fileprivate enum Key: String, FileKey {
    case reading, below, above, within, bands, marginal, required, patterns, calibrated
  }

  private enum Bands: String, CaseIterable {
    case sync
  }

  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "a limit")
    let reading = try map.require(.reading, example: "latency.transport").reading()
    self.init(
      reading, try Self.bound(map, reading),
      required: try map[.required]?.flag() ?? true,
      patterns: try map[.patterns]?.texts(example: "[Gravel, Drums]") ?? [],
      isCalibratedOnly: try map[.calibrated]?.flag() ?? false)
  }

  private static func bound(
    _ map: MapReader<Key>, _ reading: ReadingName
  ) throws(RigFileError) -> Bound {
    let shapes: [Key] = [.below, .above, .within, .bands]
    guard let shape = shapes.first(where: { map[$0] != nil }), let node = map[shape] else {
      throw map.node.error(
        "a limit needs one of below, above, within, bands: write for example 'below: "
          + "\(reading.example)'")
    }
    try map.refuse(
      shapes.filter { $0 != shape },
      because: "the limit has '\(shape.rawValue)' already, and each limit has one bound")
    if shape == .bands { return try bands(node, map, reading) }
    let limit = try node.value(of: reading)
    let marginal = try map[.marginal].map { node throws(RigFileError) in
      (node: node, value: try node.value(of: reading))
    }
    if shape == .within, limit < 0 {
      throw node.error("'within' is a distance either side of zero: it must not be negative")
    }
    if let marginal {
      let isInside =
        switch shape {
        case .above: marginal.value >= limit
        case .within: (0...limit).contains(marginal.value)
        default: marginal.value <= limit
        }
      try marginal.node.check(
        isInside,
        "'marginal' lies outside '\(shape.rawValue)': it is where a value that still holds "
          + "begins to be doubtful")
    }
    return switch shape {
    case .above: .above(limit, marginal: marginal?.value)
    case .within: .within(limit, marginal: marginal?.value)
    default: .below(limit, marginal: marginal?.value)
    }
  }

  private static func bands(
    _ node: YAMLNode, _ map: MapReader<Key>, _ reading: ReadingName
  ) throws(RigFileError) -> Bound {
    _ = try node.choice(Bands.self, "a name of bands")
    try node.check(
      reading.kind == .syncAudioHaptic,
      "the bands 'sync' are those of sync.audioHaptic, not of \(reading)")
    try map.refuse([.marginal], because: "the bands 'sync' hold their own")
    return .syncBands
  }
}

extension YAMLNode {
  func reading() throws(RigFileError) -> ReadingName {
    let text = try text()
    guard let name = ReadingName(text) else {
      let prefix = text.hasPrefix("control.") ? "control." : ""
      let names = Nearest.sorted(ReadingKind.allCases.map { prefix + $0.rawValue }, to: text)
      throw error("\(text.quoted) is not a reading: use \(names.joined(separator: ", "))")
    }
    return name
  }

  /// A value in the unit of a reading.
  func value(of reading: ReadingName) throws(RigFileError) -> Double {
    let unit = reading.kind.unit
    let quantity = try quantity(unit.dimension)
    // A bare number is a ratio; where the reading counts in ppm it is more likely a slip.
    if unit == .partsPerMillion, quantity.unit == .one {
      throw error("\(label) has no unit: \(reading) is given in ppm, for example '50 ppm'")
    }
    return quantity.unit == unit ? quantity.value : quantity.siValue / unit.factor
  }
}

extension ReadingName {
  fileprivate var example: String {
    switch kind.unit {
    case .second: "20 ms"
    case .one: "0.8"
    case .count: "0"
    default: "3 \(kind.unit.rawValue)"
    }
  }
}
