/// Why something could not be kept: a folder, a file, a full disk.
public struct ArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was to be written.
  public let path: String
  /// One sentence: what happened and what to do.
  public let message: String

  /// Makes an error.
  public init(path: String, message: String) {
    self.path = path
    self.message = message
  }

  /// The path and the sentence.
  public var description: String { "\(path): \(message)" }
}
