// SPDX-License-Identifier: Apache-2.0

import Bench
private import Glibc
import Paths
import RunArchive
import Workflows

/// The folder whose patterns are edited: names, and what stands behind them.
///
/// A name is a path below the folder without its `.ahap`. Nothing outside of the folder is opened, by whatever link.
struct PatternFolder: Sendable {
  let root: String

  /// How many patterns are listed.
  static let most = 5000
  private static let deepest = 4
  private static let suffix = ".ahap"

  /// The names of all patterns, in their order; folders below are looked into, links are not.
  func names() -> [String] {
    FilePath.sorted(
      files { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) })
  }

  /// The paths of all sounds from the folder, in their order.
  func sounds() -> [String] {
    FilePath.sorted(files { ComposeWorkflow.endings.contains(FilePath.ending(of: $0)) })
  }

  private func files(where isMeant: (String) -> Bool) -> [String] {
    var found: [String] = []
    collect("", depth: 0, where: isMeant, into: &found)
    return found
  }

  private func collect(
    _ folder: String, depth: Int, where isMeant: (String) -> Bool, into found: inout [String]
  ) {
    let place = folder.isEmpty ? root : root + "/" + folder
    guard let names = try? Folder.names(in: place) else { return }
    for name in names where !name.hasPrefix(".") && found.count < Self.most {
      let path = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(root + "/" + path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR, depth < Self.deepest {
        collect(path, depth: depth + 1, where: isMeant, into: &found)
      } else if isMeant(name), status.st_mode & S_IFMT == S_IFREG {
        found.append(path)
      }
    }
  }

  /// The name that a request names; 400 where it can be none.
  func name(_ text: String) throws(HTTPFault) -> String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isGood =
      (1...200).contains(text.utf8.count) && parts.count <= Self.deepest + 1
      && parts.allSatisfy { part in
        !part.isEmpty && !part.hasPrefix(".")
          && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x5C && $0 != 0x7F }
      }
    guard isGood else {
      throw HTTPFault(
        400, "bad-name",
        "a name is a path below the patterns' folder, without a dot at the beginning of a part"
      )
    }
    return text
  }

  func path(of name: String) -> String { root + "/" + name + Self.suffix }

  /// Refuses a name whose folder nothing can be put into.
  func checkWritable(_ name: String) throws(HTTPFault) {
    guard canWrite(name) else {
      throw HTTPFault(
        403, "read-only", "the folder of '\(name)' is not there, or is not ours to write")
    }
  }

  /// The path of a sound of the folder, which lies in it as patterns do.
  func path(ofSound name: String) throws(HTTPFault) -> String { root + "/" + (try self.name(name)) }

  /// The same of a sound that is there, and no link to elsewhere.
  func existingSound(_ name: String) throws -> String? {
    let path = try path(ofSound: name)
    guard ComposeWorkflow.endings.contains(FilePath.ending(of: name)), FileStamp(path) != nil
    else { return nil }
    let file = try RegularFile(path: path)
    return file.lies(below: realRoot) ? file.truePath : nil
  }

  /// What the pattern's file is now; `nil` where there is none.
  func stamp(of name: String) -> FileStamp? { FileStamp(path(of: name), followingLinks: false) }

  /// The bytes of a pattern's file; `nil` where there is none, or it lies elsewhere.
  func bytes(of name: String, limit: Int) throws(InputError) -> [UInt8]? {
    guard stamp(of: name) != nil else { return nil }
    let file = try RegularFile(path: path(of: name))
    guard file.lies(below: realRoot) else { return nil }
    return try file.bytes(limit: limit)
  }

  /// Whether the folder of a pattern lies in this one and can be written to.
  func canWrite(_ name: String) -> Bool {
    let folder = FilePath.folder(of: path(of: name))
    guard access(folder, W_OK) == 0, let real = Self.real(folder) else { return false }
    return real == realRoot || real.hasPrefix(realRoot + "/")
  }

  private var realRoot: String { Self.real(root) ?? root }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
