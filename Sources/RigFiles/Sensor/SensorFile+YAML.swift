// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

extension SensorFile {
  private enum Key: String, FileKey {
    case format, version, sensor, date, method, program, rig, axes, assumed, reference
  }

  /// Reads a sensor file, at most 1 MiB.
  package init(yaml bytes: [UInt8], file: String) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    try Self.checkKind(root)
    let map = try MapReader<Key>(root, "a sensor file")
    let axes = try map.require(.axes, example: "{z: {sensitivity: 10.2 mV/g, ...}}")
    let entries = try axes.entries()
    try axes.check(
      (1...64).contains(entries.count),
      "a sensor file has 1 to 64 axes, and this has \(entries.count)")
    self.init(
      sensor: try map.require(.sensor, example: "adxl-17").text(),
      date: try map.require(.date, example: "2026-01-31").text(),
      method: try map.require(.method, example: "flip").choice(Method.self, "a method"),
      program: try map.require(.program, example: "haprig 0.1.0").text(),
      rig: try map.require(.rig, example: "bench-1").text(),
      axes: try entries.map(Axis.init))
    assumed = try map[.assumed].map(Assumptions.init)
    reference = try map[.reference].map(Reference.init)
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
    try node.check(
      node.integer(1...1_000_000) == version,
      "this sensor file is of version \(try node.text()), and this haprig reads \(version): "
        + "measure the sensor again, or use the haprig that wrote it")
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
        .map(SensorFile.Flatness.init)
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

extension SensorFile {
  /// The file's text, the same for the same content.
  ///
  /// Values are read back as the same to six digits, uncertainties to three.
  package var text: String {
    var lines = [
      "format: \(Self.format)", "version: \(Self.version)", "sensor: \(Self.quoted(sensor))",
      "date: \(Self.quoted(date))", "method: \(method.rawValue)",
      "program: \(Self.quoted(program))", "rig: \(Self.quoted(rig))", "axes:",
    ]
    for axis in axes {
      lines.append("  \(Self.quoted(axis.name)):")
      lines += axis.lines.map { "    " + $0 }
    }
    if let assumed {
      lines += [
        "assumed:", "  gravity: \(number(assumed.gravity)) m/s2",
        "  gravity-uncertainty: \(percent(assumed.gravityUncertainty))",
        "  tilt: \(number(assumed.tilt)) deg",
      ]
    }
    if let reference {
      lines += [
        "reference:", "  channel: \(Self.quoted(reference.channel))",
        "  uncertainty: \(percent(reference.uncertainty))",
      ]
      if let date = reference.date { lines.append("  date: \(Self.quoted(date))") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text as a YAML scalar: plain where it is a word, in double quotes where it is not.
  private static func quoted(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E
    }
    if isWord, !text.isEmpty, !text.hasPrefix("-"), !text.hasPrefix(".") { return text }
    let escaped = text.map { character in
      switch character {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n", "\r", "\r\n", "\t": " "
      default: String(character)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}

extension SensorFile.Scale {
  /// The key and the value, `sensitivity: 10.2 mV/g` or `factor: 1.023`.
  ///
  /// The key is the same in the file and where a person is told.
  package var text: String {
    switch self {
    case .sensitivity(let value):
      "sensitivity: \(number(value / MeasurementUnit.millivoltPerGravity.factor)) mV/g"
    case .factor(let value): "factor: \(number(value))"
    }
  }
}

extension SensorFile.Axis {
  fileprivate var lines: [String] {
    var lines = ["channel: \(channel)", scale.text, "uncertainty: \(percent(uncertainty))"]
    if let previous { lines.append("before: {\(previous.text)}") }
    if let offset {
      lines.append("offset: \(number(offset.value)) m/s2")
      lines.append("offset-uncertainty: \(number(offset.uncertainty, digits: 3)) m/s2")
    }
    if let noise { lines.append("noise: \(number(noise, digits: 3)) m/s2") }
    if let delay {
      lines.append("delay: \(number(delay.value * 1e6)) us")
      lines.append("delay-uncertainty: \(number(delay.uncertainty * 1e6, digits: 3)) us")
    }
    if !flatness.isEmpty {
      lines.append("flatness:")
      lines += flatness.map {
        "  - {frequency: \(number($0.frequency, digits: 4)) Hz, ratio: \(number($0.ratio)), "
          + "uncertainty: \(percent($0.uncertainty))}"
      }
    }
    return lines
  }
}

/// A number with so many digits, of which the last zeros are left out.
private func number(_ value: Double, digits: Int = 6) -> String {
  guard value != 0, value.isFinite else { return "0" }
  let shift = digits - 1 - Int(log10(abs(value)).rounded(.down))
  // Whole numbers and powers of ten are exact, so that the quotient is the nearest to its decimals.
  let power = pow(10, Double(abs(shift)))
  let rounded = shift >= 0 ? (value * power).rounded() / power : (value / power).rounded() * power
  let text = "\(rounded)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// An uncertainty as a share: three digits of it are known.
private func percent(_ ratio: Double) -> String { "\(number(ratio * 100, digits: 3)) %" }
