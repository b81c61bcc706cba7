// SPDX-License-Identifier: Apache-2.0

import AHAP
import Bench

/// How long patterns last.
final class PatternShelf: Sendable {
  private let known = FileShelf<Double?>()
  private static let largest = 4 << 20

  /// The duration in seconds; `nil` for what is no pattern.
  func seconds(of path: String) -> Double? {
    known.value(of: path) { path in
      let bytes = try? RegularFile(path: path).bytes(limit: Self.largest)
      return bytes.flatMap { try? AHAPReader.read($0, fileName: path) }?.pattern.duration
    }
  }

  /// The pattern files of a folder, in the order of their names.
  static func files(in folder: String) -> [String] {
    (try? PatternSet.expand([folder]))?.map(\.path) ?? []
  }
}
