import Devices
private import Glibc

/// What was read of files, each read again where it changed and not before.
final class FileShelf<Value: Sendable>: Sendable {
  /// What is another one of a file that was written anew or replaced.
  private struct Stamp: Equatable {
    let device: UInt
    let node: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  private struct Known {
    let stamps: [String: Stamp]
    let value: Value
  }

  private let known = Guarded<[String: Known]>([:])
  private let most: Int

  /// Keeps so many values at most.
  init(most: Int = 10_000) { self.most = most }

  /// What `read` makes of a file.
  ///
  /// `others` names the other files that the value rests on. A failure is not kept, nor what is no regular file.
  func value(
    of path: String, restingOn others: (Value) -> [String] = { _ in [] },
    _ read: (String) throws -> Value
  ) rethrows -> Value {
    if let found = known.withLock({ $0[path] }),
      found.stamps.allSatisfy({ Self.stamp(of: $0.key) == $0.value })
    {
      return found.value
    }
    // Looked at before it is read: what changes meanwhile is read once more.
    let own = Self.stamp(of: path)
    let value = try read(path)
    var stamps: [String: Stamp]? = [:]
    for other in others(value) where other != path {
      // Where one of them is gone already, nothing is kept.
      guard let stamp = Self.stamp(of: other) else {
        stamps = nil
        break
      }
      stamps?[other] = stamp
    }
    guard let own, var stamps else { return value }
    stamps[path] = own
    let entry = Known(stamps: stamps, value: value)
    known.withLock { known in
      if known.count >= most { known.removeAll() }
      known[path] = entry
    }
    return value
  }

  private static func stamp(of path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Stamp(
      device: status.st_dev, node: status.st_ino, size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}
