import Acceptance
import Units

extension Limit {
  fileprivate enum Key: String, FileKey {
    case reading, below, above, within, bands, marginal, required, patterns, calibrated
  }

  private enum Bands: String, CaseIterable {
    case sync
  }

  /// Reads one limit of a plan.
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
      guard isInside else {
        throw marginal.node.error(
          "'marginal' lies outside '\(shape.rawValue)': it is where a value that still holds "
            + "begins to be doubtful")
      }
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
    guard reading.kind == .syncAudioHaptic else {
      throw node.error("the bands 'sync' are those of sync.audioHaptic, not of \(reading)")
    }
    try map.refuse([.marginal], because: "the bands 'sync' hold their own")
    return .syncBands
  }
}

extension YAMLNode {
  /// The name of a reading.
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
  fileprivate func value(of reading: ReadingName) throws(RigFileError) -> Double {
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
