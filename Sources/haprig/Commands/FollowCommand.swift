// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bench
import Composing
import CoreHaptics
import Devices
private import Glibc
import JSONText
import RunArchive
import Workflows

struct FollowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Drive an actuator from a live sound, and measure the delay.",
    discussion: """
      --input names the sound: an ALSA PCM (a card's input, a loopback, PipeWire or JACK through their ALSA \
      plug-ins), a sound file, or '-' for WAV or AU on standard input. Without --input it is the audio channel of \
      the rig's own capture. Every few seconds the rig's sensor measures how much later than the sound the motion \
      comes. With --align the rig's loudspeaker plays the sound too, delayed so that sound and motion come together.

      With --commands, lines of JSON on standard input change the method, the gain and more (docs/FOLLOW.md). As \
      with 'play --commands', regular beats on standard input must hold the drive. Ctrl-C, SIGTERM and 'haprig stop' \
      set the drive to zero at once.

      EXAMPLES
        haprig follow --rig rigs/usb-interface.yaml --input pipewire
        haprig follow --rig rigs/usb-interface.yaml --input game.flac --method bands --align
        arecord -t wav -f S16_LE -r 48000 - | haprig follow --rig rigs/usb-interface.yaml --input -
      """)

  @OptionGroup var rig: RigOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  @Option(help: "The actuator's id (default: the rig's first one).")
  var actuator: String?

  @Option(
    help: """
      An ALSA PCM, a sound file, or '-' for standard input (default: the rig's own audio capture).
      """)
  var input: String?

  /// The methods that follow a live sound.
  enum Method: String, CaseIterable, ExpressibleByArgument {
    case envelope
    case bands
    case onsets
  }

  @Option(help: "How the sound is turned into vibration (default: the preset's, else envelope).")
  var method: Method?

  @Option(
    help: "A preset by name or from a file, as 'haprig compose' takes it.", completion: .json)
  var preset: String?

  @Option(help: "The gain in dB (default: automatic, slowly towards a constant loudness).")
  var gain: Double?

  @Option(help: "The level, in dB of full scale, below which the sound counts as silence.")
  var gate = LiveMethod.standardGate

  @Flag(
    help: """
      Play the sound on the rig's loudspeaker, delayed so that it comes together with the \
      vibration.
      """)
  var align = false

  @Option(help: "Write the measurements to this file at the end.", completion: .json)
  var record: String?

  @Flag(help: "Report what happens as lines of JSON.")
  var json = false

  @Flag(
    help: """
      Take commands as lines of JSON on standard input. Beats (a '.') must hold the drive, as \
      with 'play --held'.
      """)
  var commands = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  /// How often news are looked at, in seconds.
  private static let interval = 0.01

  func validate() throws {
    try Usage.require("--gate", gate, in: LiveMethod.gates, " dB")
    if let gain { try Usage.require("--gain", gain, in: LiveMethod.gains, " dB") }
    try Usage.require(
      input != "-" || !commands, "--commands and the sound cannot both come on standard input")
  }

  func run() throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    let request = FollowRequest(
      FollowInput(input), settings: try settings(), gain: gain, gate: gate, aligns: align,
      tellsLevels: commands)
    let builder = try calibration.builder(
      for: rig.choice.readToPlay(actuator: actuator), laws.requested, by: user)
    let started = MonotonicClock.seconds
    let date = Host.time("%Y-%m-%dT%H:%M:%SZ")
    let director = try FollowWorkflow.open(request, builder, by: user)
    if isTalking { Self.tell([director.opening]) } else { say(opening: director) }
    let failure = follow(director, by: user)
    if isTalking, let failure {
      Self.tell([["state": "ended", "said": .string("\(failure)")]])
    }
    if let record {
      let text = director.record(software: "haprig \(Version.text)", started: date).text(indent: 1)
      try AtomicFile.write(text + "\n", to: record)
    }
    if let failure { throw failure }
    let seconds = ((MonotonicClock.seconds - started) * 10).rounded() / 10
    if isTalking {
      Self.tell([["state": "ended", "seconds": .number(seconds), "latency": director.summary]])
    } else if !quiet {
      Console.out("followed \(request.input.name) for \(seconds) s\n")
    }
  }

  private var isTalking: Bool { json || commands }

  /// Follows until the sound is over, somebody asks to stop, or something fails, which is given.
  private func follow(_ director: FollowDirector, by user: RigOperator) -> (any Error)? {
    let reader = commands ? StageReader(user.stop) : nil
    var silence = SilenceWords()
    do {
      while try !director.stage.isOver() {
        if let reader { reader.wait(Self.interval) } else { usleep(UInt32(Self.interval * 1e6)) }
        for event in reader?.take() ?? [] { director.take(event) }
        let lines = director.look(at: MonotonicClock.seconds)
        if isTalking {
          Self.tell(lines)
        } else {
          say(lines, director)
          if !quiet { silence.look(at: director) }
        }
        switch director.end {
        case .failed(let error):
          director.stage.finish()
          return error
        case .over, .stopped:
          director.stage.finish()
          return nil
        case nil: break
        }
      }
    } catch {
      return error
    }
    return nil
  }

  private func settings() throws -> ComposeSettings {
    let named = method.flatMap { ComposeMethod(rawValue: $0.rawValue) }
    guard let preset else { return ComposeSettings(named ?? .envelope) }
    let settings = try ComposePreset.settings(preset)
    try Usage.require(
      named == nil || named == settings.method,
      "\(preset) is a preset of \(settings.method.rawValue): leave out --method")
    guard LiveMethod.methods.contains(settings.method) else {
      throw InputError(
        "the preset '\(preset)' is for the method '\(settings.method.rawValue)', which follows no live sound"
      )
    }
    return settings
  }

  private func say(opening director: FollowDirector) {
    guard !quiet else { return }
    let delay = director.delay
    func milliseconds(_ seconds: Double) -> String { "\((seconds * 1e4).rounded() / 10) ms" }
    Console.out(
      "\(director.request.input.name) by \(director.settings.method.rawValue): the method is "
        + "\(milliseconds(delay.typical)) late, at most \(milliseconds(delay.longest))\n")
  }

  private func say(_ lines: [JSONValue], _ director: FollowDirector) {
    guard !quiet else { return }
    for line in lines where line["latency"] != nil {
      if let window = director.windows.last {
        Console.out(FollowDirector.text(of: window, stated: director.delay) + "\n")
      }
    }
    for line in lines {
      if let delay = line["aligned"]?["delay"]?.number {
        Console.out("the sound is delayed by \((delay * 1e4).rounded() / 10) ms from now on\n")
      }
      if let fault = line["fault"]?.string { Console.error("haprig: \(fault)") }
    }
  }

  private static func tell(_ lines: [JSONValue]) {
    for line in lines { Console.out(line.text(indent: nil) + "\n") }
  }
}

/// Says on a terminal why no latency is told: nobody is to wonder whether the input is the right one.
private struct SilenceWords {
  private var windowCount = 0
  private var since = MonotonicClock.seconds
  private var loudest = -Double.infinity

  /// Looks once; after two windows without a latency a line says what is heard.
  mutating func look(at director: FollowDirector) {
    let now = MonotonicClock.seconds
    loudest = max(loudest, director.present.heard)
    guard director.windows.count == windowCount else {
      (windowCount, since, loudest) = (director.windows.count, now, -.infinity)
      return
    }
    guard now - since >= 2 * LatencyMeter.window else { return }
    let gate = director.request.gate
    let reason =
      !loudest.isFinite
      ? "nothing is heard"
      : loudest < gate
        ? "the sound stays below the gate (\(Int(loudest.rounded())) dB of full scale, \(gate) dB)"
        : "nothing rises in the sound, or it is not felt"
    Console.out("no latency was measured: \(reason)\n")
    (since, loudest) = (now, -.infinity)
  }
}
