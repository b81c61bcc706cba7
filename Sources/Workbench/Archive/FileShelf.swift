// SPDX-License-Identifier: Apache-2.0

import Devices

/// What was read of files, each read again where it changed and not before.
final class FileShelf<Value: Sendable>: Sendable {
  private struct Known {
    let stamps: [String: FileStamp]
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
      found.stamps.allSatisfy({ FileStamp($0.key) == $0.value })
    {
      return found.value
    }
    // Looked at before it is read: what changes meanwhile is read once more.
    let own = FileStamp(path)
    let value = try read(path)
    var stamps: [String: FileStamp]? = [:]
    for other in others(value) where other != path {
      // Where one of them is gone already, nothing is kept.
      guard let stamp = FileStamp(other) else {
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
}
