// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import GaugeStudy

extension Study {
  private enum Key: String, FileKey {
    case name, plan, actuators, rigs, days, mounts, repeats, seed, readings
  }

  /// Reads a gauge study; the plan's path stays as written, to be taken from the study's own
  /// folder.
  ///
  /// The form is in docs/FILE-FORMATS.md. A file has at most 1 MiB.
  package init(yaml bytes: [UInt8], file: String) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    let map = try MapReader<Key>(root, "a gauge study")
    self.init(
      name: try map.require(.name, example: "lra-gauge").identifier(),
      plan: try map.require(.plan, example: "../plans/smoke.yaml").text(),
      actuators: try map.require(.actuators, example: "[lra-1, lra-2, lra-3]")
        .distinct(example: "[lra-1, lra-2, lra-3]") { item throws(RigFileError) in
          try item.identifier()
        },
      rigs: try map.require(.rigs, example: "[bench-1]").distinct(example: "[bench-1]") {
        item throws(RigFileError) in try item.text()
      },
      days: try map[.days]?.integer(1...100) ?? 1,
      mounts: try map[.mounts]?.integer(1...100) ?? 3,
      repeats: try map[.repeats]?.integer(1...100) ?? 3,
      seed: try map[.seed]?.integer(0...UInt64.max) ?? 1,
      readings: try map.require(.readings, example: "[latency.transport]")
        .distinct(example: "[latency.transport]", Reading.init))
    try root.check(
      mountCount <= Self.mostMounts,
      "the study asks for \(mountCount) mounts (actuators x rigs x days x mounts): at most "
        + "\(Self.mostMounts)")
    try root.check(
      mounts * days * repeats > 1,
      "each actuator is measured once on each rig, and nothing can be told from that: ask for more "
        + "mounts, repeats or days")
  }
}

extension Study.Reading {
  private enum Key: String, FileKey {
    case reading, pattern, tolerance
  }

  /// Reads a reading that is studied: its name, or a map with its pattern and tolerance.
  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      self.init(try node.reading())
      return
    }
    let map = try MapReader<Key>(node, "a studied reading")
    let name = try map.require(.reading, example: "latency.transport").reading()
    let tolerance = try map[.tolerance].map { node throws(RigFileError) in
      let width = try node.value(of: name)
      try node.check(
        width > 0 && width.isFinite,
        "\(node.label) must be above 0: it is the width from the lower to the upper end of what is "
          + "allowed")
      return width
    }
    self.init(name, pattern: try map[.pattern]?.text(), tolerance: tolerance)
  }
}

extension YAMLNode {
  /// The items of a list, none of which says the same as another.
  fileprivate func distinct<Value: Equatable>(
    example: String, _ read: (YAMLNode) throws(RigFileError) -> Value
  ) throws(RigFileError) -> [Value] {
    var values: [Value] = []
    for item in try items(example: example) {
      let value = try read(item)
      try item.check(!values.contains(value), "this stands in \(label) twice: remove one")
      values.append(value)
    }
    return values
  }
}
