import AHAP
import Bench
import Devices
private import Glibc
import Paths

/// How long patterns last, each file read once as long as it does not change.
final class PatternShelf: Sendable {
  private struct Known {
    let size: Int
    let changed: Int
    let seconds: Double?
  }

  private let known = Guarded<[String: Known]>([:])
  private static let largest = 4 << 20

  /// The duration in seconds; `nil` for what is no pattern.
  func seconds(of path: String) -> Double? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let (size, changed) = (Int(status.st_size), status.st_mtim.tv_sec)
    if let found = known.withLock({ $0[path] }), found.size == size, found.changed == changed {
      return found.seconds
    }
    let bytes = try? RegularFile(path: path).bytes(limit: Self.largest)
    let document = bytes.flatMap { try? AHAPReader.read($0, fileName: path) }
    let entry = Known(size: size, changed: changed, seconds: document?.pattern.duration)
    known.withLock { $0[path] = entry }
    return entry.seconds
  }

  /// The pattern files of a folder, in the order of their names.
  static func files(in folder: String) -> [String] {
    (try? PatternSet.expand([folder]))?.map(\.path) ?? []
  }
}
