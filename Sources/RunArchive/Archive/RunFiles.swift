// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The files of one run's folder, opened by no link at any level.
///
/// The archive's index is not asked: a folder that is being made, or is on another machine, has no files here.
public struct RunFiles: Sendable {
  /// The run's name.
  public let id: String
  private let folder: String

  /// Finds the folder of a run; `nil` where there is none with a record, or the name is none.
  ///
  /// A name has letters of ASCII, digits, `.`, `_` and `-`, 200 at most, and begins with no dot.
  public init?(_ id: String, in location: ArchiveLocation) {
    guard Self.isName(id) else { return nil }
    self.id = id
    folder = location.folder + "/" + id
    guard (try? StoredFile.size(RunFolder.recordFile, in: folder)) != nil else { return nil }
  }

  /// Whether a text can name a run.
  public static func isName(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count) && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  /// The regular files below the folder with their sizes, in the order of their names; hidden ones are left out.
  public func list() throws(ArchiveError) -> [(name: String, bytes: Int)] {
    try RunFolder.refuseLink(folder)
    var files: [(name: String, bytes: Int)] = []
    for name in try Folder.paths(below: folder) {
      guard let size = try? StoredFile.size(name, in: folder) else { continue }
      files.append((name, size))
    }
    return files
  }

  /// Opens a file of a run by its id; `nil` where there is no such run or no such file.
  public static func file(
    _ name: String, of id: String, in location: ArchiveLocation
  ) -> (descriptor: Int32, bytes: Int)? {
    guard isName(id) else { return nil }
    return RunFiles(unchecked: id, in: location).open(name)
  }

  /// A folder that need not have a record: a calibration's.
  private init(unchecked id: String, in location: ArchiveLocation) {
    self.id = id
    folder = location.folder + "/" + id
  }

  /// Opens a file for reading, the descriptor the caller's; `nil` where there is none, or it is no regular file, or
  /// a part of its path is a link.
  public func open(_ name: String) -> (descriptor: Int32, bytes: Int)? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }),
      !name.utf8.contains(0)
    else { return nil }
    do throws(ArchiveError) {
      guard let open = try OpenFolder(folder),
        let (descriptor, size) = try open.file(name, path: folder + "/" + name)
      else { return nil }
      return (descriptor, size)
    } catch {
      return nil
    }
  }
}
