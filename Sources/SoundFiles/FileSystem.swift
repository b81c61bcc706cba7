private import Glibc

/// The few calls to the system that reading and writing share.
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
    let advice =
      switch number {
      case ENOSPC, EDQUOT, EFBIG: "free some space, or write to another disk"
      default: "check the disk and the permissions"
      }
    return SoundFileError(
      .notWritten, path: path, "the sound was not written (\(reason(number))): \(advice)")
  }

  /// The system's words for an error number.
  static func reason(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
