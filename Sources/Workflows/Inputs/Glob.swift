// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Names as a shell's pattern chooses them: `latency.*`, `coin-?`, `[ab]*`.
enum Glob {
  /// Whether a name is the one that is asked for, or matches it; `nil` asks for any.
  static func matches(_ wanted: String?, _ name: String) -> Bool {
    wanted.map { $0 == name || fnmatch($0, name, 0) == 0 } ?? true
  }

  /// Whether it can match more than the one name.
  static func isWide(_ wanted: String) -> Bool { wanted.contains(where: "*?[".contains) }
}
