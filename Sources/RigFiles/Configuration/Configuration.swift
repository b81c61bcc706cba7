// SPDX-License-Identifier: Apache-2.0

import Paths

/// What a `haprig.toml` says: the values of options that a command was not given.
///
/// `nil` is what it does not say.
package struct Configuration: Sendable, Equatable {
  /// The name of the file, in whatever folder it lies.
  package static let fileName = "haprig.toml"

  /// The rig's file.
  package var rig: String?
  /// The plan's file.
  package var plan: String?
  /// A folder of runs, or the address of a database server.
  package var archive: String?
  /// The folder of the runs where the archive is on a server.
  package var reports: String?
  /// The folder of profiles.
  package var profiles: String?

  package init() {}

  /// What it says key by key, in the order of the documents.
  package var entries: [(key: String, value: String)] {
    Key.allCases.compactMap { key in self[key].map { (key.rawValue, $0) } }
  }

  /// The same, with paths from where the folder's own path is from.
  package func placed(in folder: String) -> Configuration {
    var placed = self
    for key in Key.allCases {
      guard let value = self[key], !value.hasPrefix("/"), !Self.isServer(value) else { continue }
      placed[key] = FilePath.join(folder, value)
    }
    return placed
  }

  private static func isServer(_ text: String) -> Bool { text.contains("://") }

  private enum Key: String, FileKey {
    case rig, plan, archive, reports, profiles

    var example: String {
      switch self {
      case .rig: "rigs/bench-1.yaml"
      case .plan: "rigs/plans/nightly.yaml"
      case .archive, .reports: "reports"
      case .profiles: "calibration"
      }
    }
  }

  private subscript(key: Key) -> String? {
    get {
      switch key {
      case .rig: rig
      case .plan: plan
      case .archive: archive
      case .reports: reports
      case .profiles: profiles
      }
    }
    set {
      switch key {
      case .rig: rig = newValue
      case .plan: plan = newValue
      case .archive: archive = newValue
      case .reports: reports = newValue
      case .profiles: profiles = newValue
      }
    }
  }
}

extension Configuration {
  /// The most bytes that the file may have.
  private static let sizeLimit = 1 << 16

  /// Reads a `haprig.toml`; paths stay as written, to be taken from the file's own folder.
  ///
  /// The form is in docs/FILE-FORMATS.md: lines of TOML, each a key and a text.
  package init(toml bytes: [UInt8], file: String) throws(RigFileError) {
    let source = try SourceText(
      decoding: bytes, file: file, limit: Self.sizeLimit, of: "a configuration")
    var lines = TOMLLines(source)
    var seen: [Key: TOMLLines.Entry] = [:]
    func check(_ name: String, _ position: Position) throws(RigFileError) -> String {
      let names = Key.allCases.map(\.rawValue)
      guard let key = Key(rawValue: name) else {
        throw source.error(
          at: position,
          "\(name.quoted) is not a key of a configuration\(Nearest.hint(for: name, in: names)): "
            + "use \(names.joined(separator: ", "))")
      }
      guard seen[key] == nil else {
        throw source.error(at: position, "\(name.quoted) is written more than once: keep one")
      }
      return key.example
    }
    while let entry = try lines.next(checking: check) {
      guard let key = Key(rawValue: entry.key) else { continue }
      seen[key] = entry
      if let problem = Self.problem(of: entry.value, for: key) {
        throw source.error(at: entry.valuePosition, problem)
      }
      self[key] = entry.value
    }
    if let reports = seen[.reports], !(archive.map(Self.isServer) ?? false) {
      throw source.error(
        at: reports.keyPosition,
        "'reports' goes with an archive on a server (archive = \"postgres://...\"): an archive in a "
          + "folder has its runs there")
    }
  }

  private static func problem(of value: String, for key: Key) -> String? {
    let name = key.rawValue.quoted
    switch key {
    case _ where value.isEmpty: return "\(name) is empty: write a path, or remove the line"
    case _ where value.utf8.count > 1024:
      return "\(name) has \(value.utf8.count) bytes: at most 1024"
    // The home folder changes nothing that haprig does.
    case _ where value == "~" || value.hasPrefix("~/"):
      return "'~' does not stand for a folder here: write the path"
    case .rig where !isYAML(value), .plan where !isYAML(value):
      return "\(name) names a file: \(key.rawValue) = \"\(key.example)\""
    case .profiles where FilePath.ending(of: value) == "json":
      return "'profiles' names a folder: \(key.rawValue) = \"\(key.example)\""
    case .archive:
      return isServer(value) && !value.hasPrefix("postgres://")
        && !value.hasPrefix("postgresql://")
        ? "an archive is a folder, or postgres://USER@HOST/DATABASE" : nil
    default: return isServer(value) ? "\(name) is a path, not an address" : nil
    }
  }

  private static func isYAML(_ path: String) -> Bool {
    ["yaml", "yml"].contains(FilePath.ending(of: path))
  }
}
