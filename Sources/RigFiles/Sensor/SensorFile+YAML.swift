import Units

extension SensorFile {
  private enum Key: String, FileKey {
    case format, version, sensor, date, method, program, rig, axes, assumed, reference
  }

  /// Reads a sensor file, at most 1 MiB.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - file: The file's path, as errors shall show it.
  /// - Throws: The first thing that is wrong, with its line and column.
  public init(yaml bytes: [UInt8], file: String) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    try Self.checkKind(root)
    let map = try MapReader<Key>(root, "a sensor file")
    let axes = try map.require(.axes, example: "{z: {sensitivity: 10.2 mV/g, ...}}")
    let entries = try axes.entries()
    guard (1...64).contains(entries.count) else {
      throw axes.error("a sensor file has 1 to 64 axes, and this has \(entries.count)")
    }
    self.init(
      sensor: try map.require(.sensor, example: "adxl-17").text(),
      date: try map.require(.date, example: "2026-01-31").text(),
      method: try map.require(.method, example: "flip").choice(Method.self, "a method"),
      program: try map.require(.program, example: "haprig 0.1.0").text(),
      rig: try map.require(.rig, example: "bench-1").text(),
      axes: try entries.map { entry throws(RigFileError) in try Axis(entry) })
    assumed = try map[.assumed].map { node throws(RigFileError) in try Assumptions(node) }
    reference = try map[.reference].map { node throws(RigFileError) in try Reference(node) }
  }

  /// A file of another kind or version is told before its keys are.
  private static func checkKind(_ root: YAMLNode) throws(RigFileError) {
    let entries = try root.entries()
    func value(_ key: Key) -> YAMLNode? {
      entries.first { (try? $0.key.text()) == key.rawValue }?.value
    }
    let found = value(.format)
    guard let found, try found.text() == format else {
      throw (found ?? root).error(
        "this is no sensor file: it must say 'format: \(format)', as 'haprig sensor' writes it")
    }
    guard let node = value(.version) else {
      throw root.error("a sensor file needs 'version': write 'version: \(version)'")
    }
    guard try node.integer(1...1_000_000) == version else {
      throw node.error(
        "this sensor file is of version \(try node.text()), and this haprig reads \(version): "
          + "measure the sensor again, or use the haprig that wrote it")
    }
  }
}

extension SensorFile.Axis {
  private enum Key: String, FileKey {
    case channel, sensitivity, factor, uncertainty, before, offset
    case offsetUncertainty = "offset-uncertainty"
    case noise, delay
    case delayUncertainty = "delay-uncertainty"
    case flatness
  }

  fileprivate init(_ entry: YAMLNode.Entry) throws(RigFileError) {
    let name = try entry.key.identifier()
    let map = try MapReader<Key>(entry.value, "the axis '\(name)'")
    guard
      let scale = try SensorFile.Scale(sensitivity: map[.sensitivity], factor: map[.factor])
    else {
      throw entry.key.error(
        "the axis '\(name)' has no scale: write 'sensitivity: 10.2 mV/g', or 'factor: 1.02' where "
          + "the device delivers m/s2")
    }
    self.init(
      name: name, channel: try map.require(.channel, example: name).identifier(), scale: scale,
      uncertainty: try map.require(.uncertainty, example: "0.5 %")
        .quantity(.ratio, .from(0, upTo: 0.5)))
    if let node = map[.before] {
      let before = try MapReader<Before>(node, "'before'")
      previous = try SensorFile.Scale(
        sensitivity: before[.sensitivity], factor: before[.factor])
    }
    if let node = map[.offset] {
      offset = .init(
        try node.quantity(.acceleration, .from(-1e6, upTo: 1e6)),
        uncertainty: try map[.offsetUncertainty]?
          .quantity(.acceleration, .from(0, upTo: 1e6)) ?? 0)
    }
    noise = try map[.noise]?.quantity(.acceleration, .from(0, upTo: 1e6))
    if let node = map[.delay] {
      delay = .init(
        try node.quantity(.time, .from(-1, upTo: 1)),
        uncertainty: try map[.delayUncertainty]?.quantity(.time, .from(0, upTo: 1)) ?? 0)
    }
    if let node = map[.flatness] {
      flatness = try node.items(example: "[{frequency: 100 Hz, ratio: 1, uncertainty: 1 %}]")
        .map { item throws(RigFileError) in try SensorFile.Flatness(item) }
    }
  }

  private enum Before: String, FileKey {
    case sensitivity, factor
  }
}

extension SensorFile.Scale {
  /// Reads whichever of the two is there.
  fileprivate init?(sensitivity: YAMLNode?, factor: YAMLNode?) throws(RigFileError) {
    switch (sensitivity, factor) {
    case (let volts?, nil):
      self = .sensitivity(
        try volts.quantity(.accelerationSensitivity, .above(0, upTo: 1000)))
    case (nil, let factor?): self = .factor(try factor.quantity(.ratio, .above(0, upTo: 1e6)))
    case (_?, let factor?):
      throw factor.error("an axis has a 'sensitivity' or a 'factor', not both: remove one")
    case (nil, nil): return nil
    }
  }
}

extension SensorFile.Flatness {
  private enum Key: String, FileKey {
    case frequency, ratio, uncertainty
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "a point of the flatness")
    self.init(
      frequency: try map.require(.frequency, example: "100 Hz")
        .quantity(.frequency, .above(0, upTo: 1e6)),
      ratio: try map.require(.ratio, example: "1.01").quantity(.ratio, .above(0, upTo: 1e6)),
      uncertainty: try map.require(.uncertainty, example: "1 %")
        .quantity(.ratio, .from(0, upTo: 1e6)))
  }
}

extension SensorFile.Assumptions {
  private enum Key: String, FileKey {
    case gravity
    case gravityUncertainty = "gravity-uncertainty"
    case tilt
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "'assumed'")
    self.init(
      gravity: try map.require(.gravity, example: "9.80665 m/s2")
        .quantity(.acceleration, .from(9.7, upTo: 9.9)),
      gravityUncertainty: try map.require(.gravityUncertainty, example: "0.17 %")
        .quantity(.ratio, .from(0, upTo: 0.5)),
      tilt: try map.require(.tilt, example: "2 deg").degrees())
  }
}

extension YAMLNode {
  /// An angle in degrees, 0 to 45.
  fileprivate func degrees() throws(RigFileError) -> Double {
    let text = try text()
    let digits = text.hasSuffix("deg") ? text.dropLast(3).filter { $0 != " " } : ""
    guard let value = Double(digits), (0...45).contains(value) else {
      throw error("\(label) is \(text.quoted): write an angle from 0 deg to 45 deg")
    }
    return value
  }
}

extension SensorFile.Reference {
  private enum Key: String, FileKey {
    case channel, uncertainty, date
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "'reference'")
    self.init(
      channel: try map.require(.channel, example: "reference").identifier(),
      uncertainty: try map.require(.uncertainty, example: "1 %")
        .quantity(.ratio, .from(0, upTo: 0.5)),
      date: try map[.date]?.text())
  }
}
