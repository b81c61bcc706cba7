import Paths
import RunArchive

/// A folder of profiles, one file an actuator.
public struct ProfileFolder: Sendable {
  let path: String

  /// Names a folder, which need not be there.
  public init(path: String) { self.path = path }

  /// The file of an actuator.
  func file(of actuator: String) -> String { inside + actuator + ".json" }

  /// The file that has the name of another, wherever that lies.
  func file(named other: String) -> String {
    inside + FilePath.name(of: other)
  }

  /// Every profile of the folder, in the order of the files' names.
  func files() throws(ArchiveError) -> [String] {
    try Folder.names(in: path).filter { $0.hasSuffix(".json") }.map { inside + $0 }
  }

  private var inside: String { path.hasSuffix("/") ? path : path + "/" }
}
