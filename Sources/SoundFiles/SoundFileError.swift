// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Paths

package struct SoundFileError: Error, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable, CaseIterable {
    case missing
    case notPermitted
    /// The path names a folder, a pipe or a device.
    case notAFile
    /// The file has no bytes, or its sound no frames.
    case empty
    case notSound
    /// The sound is coded in a way that is not read here, such as AAC.
    case unsupported
    case truncated
    /// The sound is longer, wider or faster than the caller takes.
    case tooLarge
    /// The content contradicts itself or holds a number that is not finite.
    case damaged
    /// The system refused to write: a folder that may not be written, a closed descriptor.
    case notWritten
    /// The disk is full, or broken.
    case noRoom
  }

  package let code: Code
  /// The file as the caller named it.
  package let path: String
  /// One sentence: the file, what is wrong, what to do.
  package let description: String

  /// Makes an error; the message follows the path and a colon.
  package init(_ code: Code, path: String, _ message: String) {
    self.code = code
    self.path = path
    description = "\(path): \(message)"
  }
}

enum FileSystem {
  /// An error for a file that could not be opened, by its error number.
  static func openingError(_ path: String, _ number: Int32) -> SoundFileError {
    switch number {
    case ENOENT, ENOTDIR:
      SoundFileError(.missing, path: path, "there is no such file: check the name and the folder")
    case EACCES, EPERM:
      SoundFileError(.notPermitted, path: path, "this may not be opened: check its permissions")
    case EISDIR:
      SoundFileError(.notAFile, path: path, "this is a folder: name a sound file")
    case ELOOP:
      SoundFileError(.notPermitted, path: path, "this is a symbolic link: name the file itself")
    default:
      SoundFileError(.notPermitted, path: path, "this cannot be opened (\(reason(number)))")
    }
  }

  /// An error for bytes that the system did not take, by its error number.
  static func writingError(_ path: String, _ number: Int32) -> SoundFileError {
    let isFull = DiskFault.isFull(number)
    let advice =
      isFull ? "free some space, or write to another disk" : "check the disk and the permissions"
    return SoundFileError(
      isFull ? .noRoom : .notWritten, path: path,
      "the sound was not written (\(reason(number))): \(advice)")
  }

  static func reason(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
