// SPDX-License-Identifier: Apache-2.0

import Bench
private import CEmbeddedFiles
package import Composing
import JSONText
import Paths

/// Settings that somebody has found good for a kind of sound: files of their own, some of them built in.
package struct ComposePreset: Sendable {
  package let name: String
  package let settings: ComposeSettings

  /// Those that are built in, by name.
  package static let named: [ComposePreset] = {
    let files = UnsafeBufferPointer(start: haprig_embedded_files(), count: haprig_embedded_count())
    let presets = files.compactMap { file -> ComposePreset? in
      let name = String(cString: file.name)
      guard name.hasPrefix("presets/") else { return nil }
      let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
      do {
        return ComposePreset(
          name: FilePath.stem(of: name), settings: try ComposeSettings(preset: bytes))
      } catch {
        preconditionFailure("\(name), which is built in: \(error)")
      }
    }
    return presets.sorted { $0.name < $1.name }
  }()

  /// The settings of a preset that is built in, or of a file.
  package static func settings(_ preset: String) throws -> ComposeSettings {
    if let known = named.first(where: { $0.name == preset }) { return known.settings }
    guard preset.contains("/") || FilePath.ending(of: preset) == "json" else {
      let names = named.map(\.name).joined(separator: ", ")
      throw InputError("there is no preset '\(preset)': there are \(names), and files NAME.json")
    }
    let bytes = try RegularFile(path: preset).bytes(limit: 1 << 16)
    return try InputError.naming("\(preset): ") { try ComposeSettings(preset: bytes) }
  }
}
