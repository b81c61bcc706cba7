/// A program that is the rig.
public struct CommandDescription: Sendable, Equatable {
  /// The program and its arguments; no shell reads them.
  public var arguments: [String]
  /// The folder it is started in: the rig file's own.
  public var folder: String
  /// How long it may stay without an answer, in seconds.
  public var timeout: Double

  /// Makes a description.
  public init(arguments: [String], folder: String, timeout: Double = 10) {
    self.arguments = arguments
    self.folder = folder
    self.timeout = timeout
  }
}

/// Sound files instead of devices, for a rig that is not on line.
public struct FileDescription: Sendable, Equatable {
  /// Where the drive is written, one channel per drive channel.
  public var stimulus: String?
  /// Where the response is read from, one channel per capture channel.
  public var response: String?

  /// Makes a description.
  public init(stimulus: String? = nil, response: String? = nil) {
    self.stimulus = stimulus
    self.response = response
  }
}
