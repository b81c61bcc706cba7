// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bench
import Devices
import HapticRendering
import JSONText
import Reporting
import RunArchive
import Units
import Workflows

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a pattern to a WAV file: the drive, and the sound if it has any.",
    discussion: """
      With --rig the drive is the one for the rig's actuator; without it a signal with a full scale of 1. The first \
      channel is the drive. If the pattern has sound, the second and third channels are the sound, left and right. \
      --intent writes exactly what the pattern asks for: intensity and sharpness of each event as polynomials of \
      time.

      EXAMPLES
        haprig render rigs/patterns/swell.ahap --out drive.wav
        haprig render rigs/patterns/swell.ahap --intent intent.json
      """)

  @Argument(help: "The pattern.", completion: .ahap)
  var file: String

  @Option(help: "The WAV file to write (float32).", completion: .wav)
  var out: String?

  @Option(help: "The JSON file to write the intent to.", completion: .json)
  var intent: String?

  @Option(help: "Render for this rig's actuator: the rig's file or name.", completion: .yaml)
  var rig: String?

  @Option(help: "The sample rate in frames a second (default: the rig's).")
  var rate: Int?

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  @Flag(help: "Print what was written as JSON.")
  var json = false

  func validate() throws {
    try Usage.require("--rate", rate, in: 8_000...192_000)
    try Usage.require(
      calibration.profiles == nil || rig != nil,
      "A profile drives an actuator on a rig: name it with --rig")
    try Usage.require(calibration.profiles == nil || rate == nil, Self.rateIsOfTheRig)
    try Usage.require(
      out != nil || intent != nil,
      "Name a file to write: --out FILE.wav, --intent FILE.json, or both")
  }

  private static let rateIsOfTheRig =
    "With a profile the drive has the rig's rate: leave --rate out"

  func run() throws {
    let user = RigOperator.terminal(listens: false)
    let builder = try rig.map { rig in
      let description = try RigChoice(file: Configured.rigFile(rig)).read()
      try Usage.require(
        rate == nil || calibration.choice(for: description) == nil, Self.rateIsOfTheRig)
      return try calibration.builder(for: description, laws.requested, by: user)
    }
    var configuration = builder?.configuration ?? laws.requested.configuration
    if let rate { configuration.rate = SampleRate(hertz: Double(rate)) }
    let pattern = try Self.pattern(file, patterns, configuration)
    // The intent asks for no voltage yet.
    if out != nil { try builder?.checkLimits(of: [pattern]) }
    var written: [JSONValue] = []
    if let intent {
      let exact = IntentFile(
        file: file,
        intent: Intent(
          timeline: pattern.timeline(under: configuration), configuration: configuration),
        configuration: configuration)
      try AtomicFile.write(exact.json.text(indent: 1, sortedKeys: true) + "\n", to: intent)
      written.append(.object(of: ["file": intent, "kind": "intent", "pattern": pattern.name]))
      if !json { Console.out("\(intent): the intent of \(pattern.name)\n") }
    }
    if let out {
      let outcome = try RenderWorkflow.write(
        pattern, configuration: configuration, to: out, by: user)
      written.append(Self.json(outcome, of: out, pattern, configuration.rate))
      if !json { Console.out(Self.summary(outcome, of: out, configuration.rate)) }
    }
    if json { Console.out(["written": .array(written)]) }
  }

  static func json(
    _ outcome: RenderWorkflow.Outcome, of file: String, _ pattern: LoadedPattern,
    _ rate: SampleRate
  ) -> JSONValue {
    .object(of: [
      "file": file, "kind": "drive", "pattern": pattern.name, "channels": outcome.channels,
      "frames": outcome.frames, "rate": rate.hertz,
      "seconds": rate.seconds(Double(outcome.frames)),
    ])
  }

  static func summary(
    _ outcome: RenderWorkflow.Outcome, of file: String, _ rate: SampleRate
  ) -> String {
    let seconds = (rate.seconds(Double(outcome.frames)) * 1000).rounded() / 1000
    return "\(file): \(Count.of(outcome.channels, "channel")), "
      + "\(outcome.frames) frames at \(rate), \(seconds) s\n"
  }

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

/// A pattern's intent in exact form as JSON: what is asked for, apart from how it is drawn.
private struct IntentFile {
  let file: String
  let intent: Intent
  let configuration: RenderConfiguration

  var json: JSONValue {
    let laws = configuration.lawNames.map { JSONMember($0.key, .string($0.value)) }
    return .object(of: [
      "file": file, "duration": intent.timeline.duration, "end": intent.timeline.end,
      "laws": JSONValue.object(laws), "events": intent.timeline.events.map(event),
    ])
  }

  private func event(_ event: TimelineEvent) -> JSONValue {
    let sound = event.sound
    return .object(of: [
      "index": event.index, "kind": event.kind.rawValue, "start": event.start, "end": event.end,
      "volume": sound?.volume, "pitch": sound?.pitch, "pan": sound?.pan,
      "brightness": sound?.brightness, "usesEnvelope": sound?.usesEnvelope,
      "loops": sound?.loops, "path": sound?.path,
      "envelope": sound.map { _ in Self.envelope(event.envelope) },
      "segments": sound == nil ? intent.segments(of: event).map(Self.segment) : nil,
    ])
  }

  private static func segment(_ segment: IntentSegment) -> JSONValue {
    let (intensity, sharpness, weight) = (segment.intensity, segment.sharpness, segment.weight)
    return .object(of: [
      "start": segment.start, "end": segment.end,
      "intensity": [intensity.constant, intensity.linear, intensity.square],
      "sharpness": [sharpness.constant, sharpness.linear],
      "weight": JSONValue.object(of: [
        "base": weight.base, "swing": weight.swing, "origin": weight.origin,
        "length": weight.length,
      ]),
    ])
  }

  private static func envelope(_ envelope: Envelope) -> JSONValue {
    .object(of: [
      "attack": envelope.attack, "decay": envelope.decay, "release": envelope.release,
      "duration": envelope.duration, "isSustained": envelope.isSustained,
    ])
  }
}
