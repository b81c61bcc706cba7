import ArgumentParser
import Bench
import Devices
import HapticRendering
import RigDevices
import Units
import Workflows

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
    try await ExitStatus.awaited {
      let user = RigOperator.terminal(isQuiet: quiet)
      let description = try rig.choice.readToPlay()
      let (_, loaded) = try RunRequest.read(
        paths, rig: description, reading: patterns.reading)
      let profile = try LoadedProfile.chosen(
        calibration.profile, for: description, laws: laws.requested, by: user)
      let builder = TakeBuilder(
        rig: description, laws: laws.requested.configuration, profile: profile?.profile,
        hasProbe: false)
      try builder.checkLimits(of: loaded)
      let open = try OpenSession(
        description, without: "a stimulus is written by 'haprig run --stimulus'", by: user)
      for pattern in loaded { try await play(builder.build(pattern), of: pattern, on: open) }
      try open.finish()
    }
  }

  private func play(
    _ take: TakeDrive, of pattern: LoadedPattern, on open: OpenSession
  ) async throws {
    let line = ProgressLine(isQuiet: quiet)
    let recording = await open.session.play(take) {
      line.show("\(pattern.name) \(Int($0 * 100)) %")
    }
    line.clear()
    if let fault = recording.fault { throw fault }
    let seconds = Double(take.layout.patternLength) / take.rate.hertz
    Console.out("played \(pattern.name), \((seconds * 1000).rounded() / 1000) s\n")
  }
}
