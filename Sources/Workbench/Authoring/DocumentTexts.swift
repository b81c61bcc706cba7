import Bench
import Devices
private import Glibc
import Paths
import RunArchive

/// Who knows the text of a pattern as it is edited now, saved or not.
protocol DocumentTexts: Sendable {
  /// The text of a document, a number that is another one for each text, and the file that it is, or will be, saved
  /// in: sounds lie beside it.
  func text(of name: String) throws -> (bytes: [UInt8], version: Int, path: String)
}

/// Patterns as their files have them: a name is a path below the folder, without `.ahap`.
struct PatternFiles: DocumentTexts {
  /// `nil` where the bench has no folder of patterns.
  let folder: String?

  private static let largest = 8 << 20

  func text(of name: String) throws -> (bytes: [UInt8], version: Int, path: String) {
    guard let folder, Self.isName(name) else { throw Self.missing }
    let path = folder + "/" + name + ".ahap"
    guard FileStamp(path) != nil else { throw Self.missing }
    let bytes = try Self.read(path, below: folder)
    // Two saves within one tick of the file system's clock are two texts.
    return (bytes, bytes.hashValue, path)
  }

  private static func read(_ path: String, below folder: String) throws -> [UInt8] {
    let file = try RegularFile(path: path)
    // Neither the file nor a folder on the way to it is a link to elsewhere.
    guard file.lies(below: folder) else { throw missing }
    return try file.bytes(limit: largest)
  }

  /// Whether a text can name a pattern: parts of a path, none of them hidden.
  static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 400
      && parts.allSatisfy { part in
        !part.isEmpty && !part.hasPrefix(".")
          && part.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0x5C }
      }
  }

  private static let missing = HTTPFault(
    404, "no-such-pattern", "there is no such pattern in the folder of the patterns")
}

/// What tells one state of a file from another.
struct FileStamp: Sendable, Hashable {
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  private let inode: UInt

  /// `nil` where there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    inode = status.st_ino
  }
}
