import Bench
public import Devices
import Paths
import RigFiles

/// A rig file and the folder that it lies in, from which the sensor files that it names are read.
public struct RigFolder: Sendable {
  /// The rig file's path as it was named.
  public let file: String

  /// Names a rig file, which need not be there.
  public init(file: String) { self.file = file }

  /// The rig file's folder.
  public var path: String { FilePath.folder(of: file) }

  /// The path of a file by its path from the folder.
  public func path(of name: String) -> String { FilePath.join(path, name) }

  /// What a rig file says, and every file that it rests on.
  public struct Content: Sendable {
    /// What it says.
    public internal(set) var rig: RigDescription
    /// The rig file and the sensor files that it names, by their paths from its folder, with their bytes.
    var files: [(name: String, bytes: [UInt8])]

    /// All text that it rests on.
    var text: [UInt8] { files.flatMap(\.bytes) }
  }

  /// Reads the rig file and what it names.
  public func read() throws -> Content {
    let own = try RegularFile(path: file).bytes(limit: Self.limit)
    var files = [(name: FilePath.name(of: file), bytes: own)]
    let rig = try RigDescription(yaml: own, file: file) { name in
      let certificate = try certificate(name)
      files.append((name, certificate))
      return certificate
    }
    return Content(rig: rig, files: files)
  }

  /// Reads a sensor file; what lies elsewhere, through a link, is not read.
  private func certificate(_ name: String) throws -> [UInt8] {
    let full = path(of: name)
    let file = try RegularFile(path: full)
    guard file.lies(below: path) else {
      throw InputError(
        "\(full): a link leads out of the rig file's folder: put the file itself there")
    }
    return try file.bytes(limit: Self.limit)
  }

  /// The most bytes of a rig file, and of a sensor file.
  private static let limit = 1 << 20
}
