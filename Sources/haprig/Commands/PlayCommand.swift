import ArgumentParser
import Bench
import Devices
import HapticRendering
import RigDevices
import Units

/// Plays patterns on a rig without scoring them.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play patterns on a rig; measure nothing, write nothing.",
    discussion: """
      EXAMPLE
        haprig play rigs/patterns/swell.ahap --rig rigs/simulated-vcm.yaml
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .file(extensions: ["ahap"]))
  var paths: [String]

  @OptionGroup var rig: RigOptions
  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    let description = try rig.description()
    let (_, loaded) = try RunRequest.read(paths, rig: description, options: patterns)
    let builder = TakeBuilder(
      rig: description, laws: laws.configuration,
      profile: try calibration.read(for: description, laws: laws)?.profile, hasProbe: false)
    try ExitStatus.of { try builder.checkLimits(of: loaded) }
    Interruption.listen()
    let open = try ExitStatus.of {
      try OpenSession(
        description, without: "a stimulus is written by 'haprig run --stimulus'")
    }
    let line = ProgressLine(isQuiet: quiet)
    for pattern in loaded {
      let take = builder.build(pattern)
      let recording = await open.session.play(take) {
        line.show("\(pattern.name) \(Int($0 * 100)) %")
      }
      line.clear()
      if let fault = recording.fault { throw ExitStatus.status(of: fault) }
      let seconds = Double(take.layout.patternLength) / take.rate.hertz
      Console.out("played \(pattern.name), \((seconds * 1000).rounded() / 1000) s\n")
    }
    try ExitStatus.of { try open.finish() }
  }
}
