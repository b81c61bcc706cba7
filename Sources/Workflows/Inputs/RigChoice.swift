import Bench
public import Devices

/// A rig file, and sound files in the place of its devices where they are named.
public struct RigChoice: Sendable {
  /// The rig file.
  public var file: String
  /// The WAV file that the drive is written to instead of being played.
  public var stimulus: String?
  /// The WAV file that the response is read from instead of being recorded.
  public var response: String?

  /// Names a rig.
  public init(file: String, stimulus: String? = nil, response: String? = nil) {
    self.file = file
    self.stimulus = stimulus
    self.response = response
  }

  /// Reads the description.
  public func read() throws -> RigDescription {
    var rig = try RigFolder(file: file).read().rig
    if stimulus != nil || response != nil {
      rig.drive.device = .file(FileDescription(stimulus: stimulus, response: response))
      rig.capture.kind = .file
      rig.capture.alsa = nil
    }
    return rig
  }

  /// Reads the description of a rig that is to be played.
  public func readToPlay() throws -> RigDescription {
    let description = try read()
    if case .file(let files) = description.drive.device, files.stimulus == nil,
      files.response == nil
    {
      throw InputError(
        "\(file): the rig is not on line: give --stimulus FILE.wav to write the drive to, or "
          + "--response FILE.wav to read what was recorded of it")
    }
    return description
  }
}
