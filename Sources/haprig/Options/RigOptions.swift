import ArgumentParser
import Bench
import Devices

/// The rig that a command works on.
struct RigOptions: ParsableArguments {
  @Option(
    name: .long, help: "The rig's description (rigs/*.yaml).",
    completion: .file(extensions: ["yaml"])
  )
  var rig: String

  @Option(
    name: .long, help: "Write the drive to this WAV file instead of playing it.",
    completion: .file(extensions: ["wav"]))
  var stimulus: String?

  @Option(
    name: .long, help: "Read the response from this WAV file instead of recording it.",
    completion: .file(extensions: ["wav"]))
  var response: String?

  /// Reads the description of a rig that is to be played.
  func description() throws -> RigDescription {
    try ExitStatus.of {
      let description = try Self.read(rig, stimulus: stimulus, response: response)
      if case .file(let files) = description.drive.device, files.stimulus == nil,
        files.response == nil
      {
        throw InputError(
          "\(rig): the rig is not on line: give --stimulus FILE.wav to write the drive to, or "
            + "--response FILE.wav to read what was recorded of it")
      }
      return description
    }
  }

  /// Reads a description and puts sound files in the place of its devices where they are named.
  static func read(_ path: String, stimulus: String?, response: String?) throws -> RigDescription {
    var rig = try RigFolder(file: path).read().rig
    if stimulus != nil || response != nil {
      rig.drive.device = .file(FileDescription(stimulus: stimulus, response: response))
      rig.capture.kind = .file
      rig.capture.alsa = nil
    }
    return rig
  }
}
