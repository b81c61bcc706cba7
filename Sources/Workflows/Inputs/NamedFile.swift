// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Paths
import Reporting
import RigFiles
import RunArchive

/// Rig files or plans, which are named by their path or by the name that stands in them.
package struct NamedFiles: Sendable {
  /// `rig` or `plan`.
  private let kind: String
  private let folders: [String]
  private let read: @Sendable (String) throws -> String

  /// The rig files of folders; where several have the name, the first folder's counts.
  package static func rigs(in folders: [String]) -> NamedFiles {
    NamedFiles(kind: "rig", folders: folders) { try RigFolder(file: $0).read().rig.name }
  }

  /// The plans of folders; where several have the name, the first folder's counts.
  package static func plans(in folders: [String]) -> NamedFiles {
    NamedFiles(kind: "plan", folders: folders) { file in
      // What is refused of a plan on a certain rig, is refused when it is played.
      try Plan(
        yaml: RegularFile(path: file).bytes(limit: 1 << 20), file: file,
        shipped: ShippedLimits(hasReference: true)
      ).name
    }
  }

  private init(
    kind: String, folders: [String], read: @escaping @Sendable (String) throws -> String
  ) {
    self.kind = kind
    self.folders = folders
    self.read = read
  }

  /// Whether a word is a path: it has a slash in it, or ends in `.yaml` or `.yml`.
  package static func isPath(_ word: String) -> Bool {
    word.contains("/") || ["yaml", "yml"].contains(FilePath.ending(of: word))
  }

  /// The name of what a word means: itself, or what stands in the file that it is the path of.
  package func name(of word: String) throws -> String {
    Self.isPath(word) ? try read(word) : word
  }

  /// The path of what a word means: itself, or the file that has the name.
  package func path(of word: String) throws -> String {
    guard !Self.isPath(word) else { return word }
    var names: [String] = []
    for folder in folders {
      let files = ((try? Folder.names(in: folder)) ?? []).filter(Self.isPath)
        .map { FilePath.join(folder, $0) }
      let named = files.map { (file: $0, name: try? read($0)) }
      let found = named.filter { $0.name == word }
      guard found.count <= 1 else {
        throw InputError(
          "the \(kind) '\(word.printable)' is in \(found.map(\.file).joined(separator: " and in ")): "
            + "give one of the files")
      }
      if let found = found.first { return found.file }
      // A file that cannot be read has its own error to tell.
      if let own = named.first(where: { FilePath.stem(of: $0.file) == word && $0.name == nil }) {
        return own.file
      }
      names += named.compactMap(\.name)
    }
    let known = FilePath.sorted(Array(Set(names)))
    let places = folders.joined(separator: ", ")
    throw InputError(
      "there is no \(kind) '\(word.printable)' in \(places)\(Nearest.hint(for: word, in: known)): give "
        + (known.isEmpty
          ? "the path of its file"
          : "its file, or one of \(Count.list(known, atMost: 12))"))
  }
}
