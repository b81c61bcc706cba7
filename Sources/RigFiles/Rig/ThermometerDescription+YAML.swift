// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

extension ThermometerDescription {
  private enum Key: String, FileKey {
    case file, command, scale, uncertainty, interval
  }

  /// Where files lie that tell a temperature: devices of the machine, and what services leave for others.
  private static let roots = ["/sys/", "/dev/", "/run/"]

  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the rig's temperature")
    let source: Source
    if let file = map[.file] {
      try map.refuse([.command], because: "'file' is already here")
      source = .file(try Self.path(file))
    } else {
      let command = try map.require(.command, example: "[read-sensor, --celsius]")
      let words = try command.items(example: "[read-sensor, --celsius]")
      source = .command(
        try words.map { word throws(RigFileError) in try word.text() })
    }
    self.init(
      source, scale: try map[.scale]?.quantity(.ratio, .above(0, upTo: 1e6)) ?? 1,
      uncertainty: try map[.uncertainty]?.quantity(.temperature, .above(0, upTo: 50)),
      interval: try map[.interval]?.quantity(.time, .from(0.1, upTo: 3600)) ?? 1)
  }

  private static func path(_ node: YAMLNode) throws(RigFileError) -> String {
    let path = try node.text()
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    try node.check(
      roots.contains { path.hasPrefix($0) } && !parts.contains("..") && path.utf8.count < 4096,
      "\(path.quoted) is no file of a sensor: its path begins with \(roots.joined(separator: ", ")) "
        + "and has no '..'; a 'command' may read anything else")
    return path
  }
}
