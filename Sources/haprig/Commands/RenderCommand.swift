import ArgumentParser
import Bench
import Devices
import HapticRendering
import JSONText
import RunArchive
import Units
import Workflows

/// Renders a pattern to a sound file, or its intent to JSON.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a pattern to a WAV file: the drive, and the sound where it has any.",
    discussion: """
      Without a rig the drive is a tone of full scale 1; with one it is the drive of its actuator. \
      The first channel is the drive; the second and third are sound, left and right, where the \
      pattern has sound. --intent writes what the pattern asks for in exact form: intensity and \
      sharpness of each event as polynomials of time.

      EXAMPLES
        haprig render rigs/patterns/swell.ahap --out drive.wav
        haprig render rigs/patterns/swell.ahap --intent intent.json
      """)

  @Argument(help: "The pattern.", completion: .file(extensions: ["ahap"]))
  var file: String

  @Option(
    name: .long, help: "The WAV file to write (float32).", completion: .file(extensions: ["wav"]))
  var out: String?

  @Option(
    name: .long, help: "The JSON file to write the intent to.",
    completion: .file(extensions: ["json"]))
  var intent: String?

  @Option(
    name: .long, help: "Render for this rig's actuator.", completion: .file(extensions: ["yaml"]))
  var rig: String?

  @Option(name: .long, help: "Frames a second; the rig's where one is given.")
  var rate: Int?

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  func validate() throws {
    if let rate, !(8_000...192_000).contains(rate) {
      throw ValidationError("--rate takes 8000 to 192000, not \(rate)")
    }
    guard calibration.profile == nil || rig != nil else {
      throw ValidationError("A profile drives an actuator on a rig: name it with --rig")
    }
    guard calibration.profile == nil || rate == nil else {
      throw ValidationError("With a profile the drive has the rig's rate: leave --rate out")
    }
    guard out != nil || intent != nil else {
      throw ValidationError("Name a file to write: --out FILE.wav, --intent FILE.json, or both")
    }
  }

  func run() throws {
    try ExitStatus.of {
      let user = RigOperator.terminal(listens: false)
      let builder = try builder(by: user)
      var configuration = builder?.configuration ?? laws.requested.configuration
      if let rate { configuration.rate = SampleRate(hertz: Double(rate)) }
      let pattern = try Self.pattern(file, patterns, configuration)
      // The intent asks for no voltage yet.
      if out != nil { try builder?.checkLimits(of: [pattern]) }
      if let intent {
        let account = IntentAccount(
          file: file,
          intent: Intent(
            timeline: pattern.timeline(under: configuration), configuration: configuration),
          configuration: configuration)
        try AtomicFile.write(account.json.text(indent: 1, sortedKeys: true) + "\n", to: intent)
        Console.out("\(intent): the intent of \(pattern.name)\n")
      }
      if let out {
        let outcome = try RenderWorkflow.write(
          pattern, configuration: configuration, to: out, by: user)
        Console.out(Self.account(outcome, of: out, configuration.rate))
      }
    }
  }

  /// What renders for a rig's actuator, where one is named.
  private func builder(by user: RigOperator) throws -> TakeBuilder? {
    guard let rig else { return nil }
    let description = try RigChoice(file: rig).read()
    let profile = try LoadedProfile.chosen(
      calibration.profile, for: description, laws: laws.requested, by: user)
    return TakeBuilder(
      rig: description, laws: laws.requested.configuration, profile: profile?.profile,
      hasProbe: false)
  }

  /// What was written, in a line.
  static func account(
    _ outcome: RenderWorkflow.Outcome, of file: String, _ rate: SampleRate
  ) -> String {
    let seconds = (rate.seconds(Double(outcome.frames)) * 1000).rounded() / 1000
    return "\(file): \(outcome.channels) channel\(outcome.channels == 1 ? "" : "s"), "
      + "\(outcome.frames) frames at \(rate), \(seconds) s\n"
  }

  /// Loads the one pattern that is named, and tells what was found in it.
  static func pattern(
    _ file: String, _ options: PatternOptions, _ configuration: RenderConfiguration
  ) throws -> LoadedPattern {
    let entries = try PatternSet.expand([file])
    guard entries.count == 1 else {
      throw InputError("\(file): one pattern is rendered at a time: name a file")
    }
    let pattern = try PatternLoader(rate: configuration.rate, reading: options.reading)
      .load(entries[0])
    for finding in pattern.findings { Console.error(finding) }
    return pattern
  }
}
