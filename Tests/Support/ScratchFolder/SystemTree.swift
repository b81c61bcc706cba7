// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A tree like the system's `/sys`, `/proc` and `/etc`, in a folder of its own.
package struct SystemTree: ~Copyable {
  private let folder: ScratchFolder

  package init() throws { folder = try ScratchFolder() }

  /// What stands before the paths.
  package var root: String { folder.path }

  /// Writes a file, and the folders that lead to it.
  package func write(_ text: String, to path: String) throws {
    makeFolders(to: path)
    try folder.write(text, to: path)
  }

  /// Makes a symbolic link, and the folders that lead to it.
  package func link(_ path: String, to target: String) throws {
    makeFolders(to: path)
    guard symlink(target, "\(root)/\(path)") == 0 else { throw CancellationError() }
  }

  private func makeFolders(to path: String) {
    var place = root
    for part in path.split(separator: "/").dropLast() {
      place += "/\(part)"
      mkdir(place, 0o755)
    }
  }
}
