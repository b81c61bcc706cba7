// SPDX-License-Identifier: Apache-2.0

package import Bench
private import Glibc

/// A file that an editor saves again and again: tells each new content once, and a broken one when it stays broken.
///
/// Editors write in place, in several parts, or write beside and rename. What cannot be read may be half of a save,
/// so that it is told only when the file has been left alone for a moment.
package struct SavedFile<Content> {
  package enum News {
    /// New content, and how long ago it was saved, in seconds.
    case saved(Content, age: Double)
    /// What is there cannot be read; the last good content stays in force.
    case broken(InputError)
  }

  /// What the file system says of the file.
  private struct Look: Equatable {
    var device: UInt
    var node: UInt
    var size: Int
    var changed: Double
  }

  /// How long a broken file is left alone before it is told, in seconds.
  package static var patience: Double { 0.15 }

  /// How long a file counts as just saved, in seconds.
  private static var fresh: Double { 0.1 }

  package let path: String
  private let limit: Int
  private let read: ([UInt8]) throws(InputError) -> Content
  private var seen: Look?
  private var bytes: [UInt8]?
  private var broken: (error: InputError, since: Double)?

  /// Watches a file, of at most so many bytes, that `read` makes content of.
  package init(
    path: String, limit: Int, read: @escaping ([UInt8]) throws(InputError) -> Content
  ) {
    self.path = path
    self.limit = limit
    self.read = read
  }

  /// Looks at the file; `now` is in seconds of any clock, `wall` in seconds since 1970.
  package mutating func look(at now: Double, wall: Double) -> News? {
    // Between two steps of a save there may be no file.
    if let look = Self.look(at: path), look != seen {
      // A second save may come within the same tick of the file system's clock: what is fresh is looked at again.
      seen = wall - look.changed > Self.fresh ? look : nil
      if let news = take(look, at: now, wall: wall) { return news }
    }
    guard let broken, now - broken.since >= Self.patience else { return nil }
    self.broken = nil
    return .broken(broken.error)
  }

  private mutating func take(_ look: Look, at now: Double, wall: Double) -> News? {
    do throws(InputError) {
      let new = try RegularFile(path: path).bytes(limit: limit)
      guard new != bytes || broken != nil else { return nil }
      let content = try read(new)
      let isSame = new == bytes
      bytes = new
      broken = nil
      return isSame ? nil : .saved(content, age: max(0, wall - look.changed))
    } catch {
      broken = (error, broken?.since ?? now)
      return nil
    }
  }

  private static func look(at path: String) -> Look? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Look(
      device: UInt(status.st_dev), node: UInt(status.st_ino), size: Int(status.st_size),
      changed: Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) * 1e-9)
  }
}
