/// Why a sound file could not be read or written.
public struct SoundFileError: Error, Equatable, CustomStringConvertible {
  /// What a caller can tell apart.
  public enum Code: Sendable, Equatable, CaseIterable {
    /// There is no such file or folder.
    case missing
    /// The file may not be opened.
    case notPermitted
    /// The path names a folder, a pipe or a device.
    case notAFile
    /// The file has no bytes, or its sound no frames.
    case empty
    /// The bytes are not a sound file that can be read.
    case notSound
    /// The sound is coded in a way that is not read here, such as AAC.
    case unsupported
    /// The file ends before its header says.
    case truncated
    /// The sound is longer, wider or faster than the caller takes.
    case tooLarge
    /// The content contradicts itself or holds a number that is not finite.
    case damaged
    /// The system refused to write: a full disk, a closed descriptor.
    case notWritten
  }

  /// The kind of failure.
  public let code: Code
  /// The file as the caller named it.
  public let path: String
  /// One sentence: the file, what is wrong, what to do.
  public let description: String

  /// Makes an error; the message follows the path and a colon.
  public init(_ code: Code, path: String, _ message: String) {
    self.code = code
    self.path = path
    description = "\(path): \(message)"
  }
}
