import ArgumentParser
import Workflows

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

  /// The rig that is named.
  var choice: RigChoice { RigChoice(file: rig, stimulus: stimulus, response: response) }
}
