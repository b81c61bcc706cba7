// SPDX-License-Identifier: Apache-2.0

import Foundation
import PublishedPatterns

/// Every pattern at hand: the repository's own, and the published ones where they are there.
enum PatternFiles {
  private static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }()

  /// The repository's own, by their paths in it.
  static let own: [String] = {
    ["rigs", "Tests", "Examples"].flatMap { top -> [String] in
      let paths = FileManager.default.enumerator(atPath: root.appendingPathComponent(top).path)
      return (paths?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".ahap") }.map { "\(top)/\($0)" }
    }.sorted()
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
  }
}
