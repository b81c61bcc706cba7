// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ScratchFolder

/// Python, whose own readers of HTML and XML say what they think of a text.
enum Python {
  private static let path = [
    "/usr/bin/python3", "/usr/local/bin/python3", "/opt/python/bin/python3",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

  static var isAvailable: Bool { path != nil }

  /// Runs a script with a text on its standard input and gives what it prints.
  ///
  /// By `popen`, whose descriptors are its own; many at once of Foundation's `Process` are not as careful.
  static func run(_ script: String, input: String) throws -> String {
    let folder = try ScratchFolder()
    let program = try folder.write(script, to: "script.py")
    let text = try folder.write(input, to: "input")
    let command = "'\(path ?? "python3")' '\(program)' < '\(text)' 2>&1"
    guard let stream = popen(command, "r") else { return "python was not started" }
    defer { pclose(stream) }
    var printed: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&block, 1, block.count, stream)
      guard count > 0 else { break }
      printed += block[..<count]
    }
    return String(decoding: printed, as: UTF8.self)
  }
}
