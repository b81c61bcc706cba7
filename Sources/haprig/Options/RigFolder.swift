import Bench
import Devices
import RigFiles

/// A rig file and the folder that it lies in, from which the sensor files that it names are read.
struct RigFolder {
  /// The rig file's path as it was named.
  let file: String

  /// The rig file's folder.
  var path: String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  /// The path of a file by its path from the folder.
  func path(of name: String) -> String {
    switch path {
    case ".": name
    case "/": "/" + name
    default: path + "/" + name
    }
  }

  /// Reads the rig file: all text that it rests on, its own and that of sensor files, and what it says.
  func read() throws -> (text: [UInt8], rig: RigDescription) {
    let own = try RegularFile(path: file).bytes(limit: Self.limit)
    var text = own
    let rig = try RigDescription(yaml: own, file: file) { name in
      let certificate = try certificate(name)
      text += certificate
      return certificate
    }
    return (text, rig)
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
