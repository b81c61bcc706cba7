// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the project's files and its built programs are.
enum Project {
  /// The project's folder.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The folder of the programs: they are built beside the tests.
  static let built = URL(
    fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? "."
  ).deletingLastPathComponent()
}
