// SPDX-License-Identifier: Apache-2.0

private import Glibc
import RunArchive

/// Where what a user has not saved outlives the machine's run: not the runtime folder, which is memory.
enum StateFolder {
  /// The folder of drafts, made where it is not there; `nil` where the user has no home.
  static func drafts() -> String? {
    let state =
      environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? environment("HOME").map { $0 + "/.local/state" }
    guard let path = state.map({ $0 + "/haprig/drafts" }), (try? Folder.make(path)) != nil else {
      return nil
    }
    return path
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
