// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A fresh folder that is removed with all that is in it when the last reference to it goes.
public final class ScratchFolder: Sendable {
  /// Where the folder is, without a slash at the end.
  public let path: String

  /// Makes an empty folder below `/tmp`.
  public init() throws(Failure) {
    var template = Array("/tmp/haprig-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(number: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// What the system said when a file or folder could not be made, written or read.
  public struct Failure: Error {
    /// The value of `errno`.
    public let number: Int32

    /// Makes a failure from a value of `errno`.
    public init(number: Int32) { self.number = number }
  }

  /// Everything in the folder, hidden names too, sorted.
  public var names: [String] { Self.names(in: path) }

  /// The path of a file of the folder, whether there is one or not.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Makes a folder in this one and gives its path.
  public func folder(_ name: String) throws(Failure) -> String {
    guard mkdir(file(name), 0o755) == 0 else { throw Failure(number: errno) }
    return file(name)
  }

  private static func remove(_ folder: String) {
    for name in names(in: folder) {
      let inner = folder + "/" + name
      // Only a folder says so when it is unlinked: a link out of here is never followed.
      if unlink(inner) != 0, errno == EISDIR { remove(inner) }
    }
    rmdir(folder)
  }
}
