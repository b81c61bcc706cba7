import AHAP
import ArgumentParser
import Bench
import Devices
import HapticRendering
import SoundFiles
import Units

/// Renders a pattern to a sound file.
struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a pattern to a WAV file: the drive, and the sound where it has any.",
    discussion: """
      Without a rig the drive is a tone of full scale 1; with one it is the drive of its actuator. \
      The first channel is the drive; the second and third are sound, left and right, where the \
      pattern has sound.

      EXAMPLE
        haprig render rigs/patterns/swell.ahap --out drive.wav
      """)

  @Argument(help: "The pattern.", completion: .file(extensions: ["ahap"]))
  var file: String

  @Option(
    name: .long, help: "The WAV file to write (float32).", completion: .file(extensions: ["wav"]))
  var out: String

  @Option(
    name: .long, help: "Render for this rig's actuator.", completion: .file(extensions: ["yaml"]))
  var rig: String?

  @Option(name: .long, help: "Frames a second; the rig's where one is given.")
  var rate: Int?

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions

  func validate() throws {
    if let rate, !(8_000...192_000).contains(rate) {
      throw ValidationError("--rate takes 8000 to 192000, not \(rate)")
    }
  }

  func run() throws {
    try ExitStatus.of {
      var configuration = RenderConfiguration(
        sharpnessLaw: laws.sharpness, intensityLaw: laws.intensity)
      if let rig {
        let description = try RigOptions.read(rig, stimulus: nil, response: nil)
        configuration =
          TakeBuilder(rig: description, laws: configuration, hasProbe: false).configuration
      }
      if let rate { configuration.rate = SampleRate(hertz: Double(rate)) }
      let entries = try PatternSet.expand([file])
      guard entries.count == 1 else {
        throw InputError("\(file): one pattern is rendered at a time: name a file")
      }
      let pattern = try patterns.loader(rate: configuration.rate).load(entries[0])
      for finding in pattern.findings { Console.error(finding) }
      try render(pattern, configuration)
    }
  }

  private func render(_ pattern: LoadedPattern, _ configuration: RenderConfiguration) throws {
    let timeline = Timeline(
      pattern.document.pattern, configuration: configuration,
      soundDuration: { pattern.sounds.duration(of: $0) })
    var renderer = HapticRenderer(
      timeline: timeline, configuration: configuration, sounds: pattern.sounds)
    let hasSound = timeline.events.contains { !$0.kind.isHaptic }
    let channels = hasSound ? 3 : 1
    var writer = try SoundFileWriter(path: out, channels: channels, rate: configuration.rate)
    let stretch = 4096
    var haptic = [Float](repeating: 0, count: stretch)
    var left = haptic
    var right = haptic
    var remaining = renderer.frameCount
    while remaining > 0 {
      let count = min(stretch, remaining)
      do {
        var span = haptic.mutableSpan
        var leftSpan = left.mutableSpan
        var rightSpan = right.mutableSpan
        renderer.render(haptic: &span, left: &leftSpan, right: &rightSpan)
      }
      var block: [Float] = []
      block.reserveCapacity(count * channels)
      for frame in 0..<count {
        block.append(haptic[frame])
        if hasSound { block += [left[frame], right[frame]] }
      }
      try writer.write(block)
      remaining -= count
    }
    try writer.close()
    let seconds = Double(renderer.frameCount) / configuration.rate.hertz
    Console.out(
      "\(out): \(channels) channel\(channels == 1 ? "" : "s"), \(renderer.frameCount) frames at "
        + "\(configuration.rate), \((seconds * 1000).rounded() / 1000) s\n")
  }
}
