// SPDX-License-Identifier: Apache-2.0

import Actuators
import ArgumentParser
import Bench
import Devices
import HapticRendering
import Perception
import RunArchive
import Workflows

extension CompletionKind {
  static var ahap: CompletionKind { .file(extensions: ["ahap"]) }
  static var html: CompletionKind { .file(extensions: ["html"]) }
  static var json: CompletionKind { .file(extensions: ["json"]) }
  static var prom: CompletionKind { .file(extensions: ["prom"]) }
  static var svg: CompletionKind { .file(extensions: ["svg"]) }
  static var wav: CompletionKind { .file(extensions: ["wav"]) }
  static var yaml: CompletionKind { .file(extensions: ["yaml"]) }
}

struct RigFileOption: ParsableArguments {
  @Option(
    name: .customLong("rig"), help: "The rig: its file, or its name (default: haprig.toml's).",
    completion: .yaml)
  var given: String?

  var file: String {
    get throws { try Configured.rigFile(given) }
  }
}

struct VerboseOption: ParsableArguments {
  @Flag(help: "Also explain the numbers and words, with the names that plans and JSON use.")
  var verbose = false
}

struct RigOptions: ParsableArguments {
  @OptionGroup var rig: RigFileOption

  @Option(help: "Write the drive to this WAV file instead of playing it.", completion: .wav)
  var stimulus: String?

  @Option(help: "Read the response from this WAV file instead of recording it.", completion: .wav)
  var response: String?

  var choice: RigChoice {
    get throws { RigChoice(file: try rig.file, stimulus: stimulus, response: response) }
  }
}

struct PatternOptions: ParsableArguments {
  @Option(
    help: """
      The folder that sound paths in a pattern are relative to (default: the pattern's own \
      folder).
      """,
    completion: .directory)
  var bundle: String?

  @Option(
    help: """
      Also allow sounds from below this folder; may be given several times.
      """, completion: .directory)
  var allowPath: [String] = []

  @Flag(help: "Treat everything that the reader would repair or leave out as an error.")
  var strict = false

  var reading: PatternReading {
    var reading = PatternReading()
    reading.bundle = bundle
    reading.allowedFolders = allowPath
    reading.isStrict = strict
    return reading
  }
}

struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The actuator's profile (ID.json), a folder of profiles, or 'none' (default: the plan's profile, else the one in haprig.toml's folder, else none).",
      valueName: "path"),
    completion: .json)
  var profiles: String?

  /// Says which profile a run has.
  func say(in order: inout RunOrder) throws {
    let found = try Configured.found
    order.profile = profiles
    order.usualProfile = { found.profile(of: $0) }
  }

  /// The profile that is asked for, or else the configured one of the rig's actuator.
  func choice(for rig: RigDescription) throws -> String? {
    try profiles ?? Configured.found.profile(of: rig.actuators[0].id)
  }

  /// What drives a rig's actuator by patterns that are played or written, and not measured.
  func builder(
    for rig: RigDescription, _ laws: RequestedLaws, by user: RigOperator
  ) throws -> TakeBuilder {
    let chosen = try LoadedProfile.chosen(choice(for: rig), for: rig, laws: laws, by: user)
    return TakeBuilder(
      rig: rig, laws: laws.configuration, profile: chosen?.profile, hasProbe: false)
  }
}

struct LawOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Sharpness to frequency: \(SharpnessLaw.named.map(\.name).joined(separator: ", ")) "
        + "(default: the profile's, else log80-230)."))
  var sharpnessLaw: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Intensity to amplitude: \(IntensityLaw.allCases.map(\.name).joined(separator: ", ")) "
        + "(default: the profile's, else square)."))
  var intensityLaw: String?

  @Option(
    help: """
      The level of intensity 1, in dB above the threshold of feeling (default: the profile's, \
      else 30).
      """)
  var referenceLevel: Double?

  @Option(help: "How events add: soft (a soft limit above full scale) or sum.")
  var mixing = RequestedLaws.Mixing.soft

  @Option(
    help: """
      How much of a vibration remains while a tap plays over it: 0 for nothing, 1 for all of it.
      """)
  var ducking = 1.0

  @Option(help: "The length of a tap's burst, in milliseconds.")
  var transientLength = RequestedLaws().transientLength

  @Option(
    help: ArgumentHelp(
      "How many milliseconds the parameter values 0 and 1 of attack, decay and release stand for.",
      valueName: "from-to"))
  var envelopeTimes = EnvelopeTimes.standard

  @Flag(help: "Let HapticSharpnessControl move taps too.")
  var sharpnessControlMovesTaps = false

  func validate() throws {
    try Self.check(sharpness: sharpnessLaw, intensity: intensityLaw, level: referenceLevel)
    try Usage.require("--ducking", ducking, in: 0...1)
    try Usage.require(
      "--transient-length", transientLength, in: RequestedLaws.transientLengths, " ms")
  }

  /// Refuses names that no law has, and levels that are none; what is `nil` was not asked for.
  static func check(sharpness: String?, intensity: String?, level: Double?) throws {
    if let sharpness, SharpnessLaw.named(sharpness) == nil {
      throw ValidationError(
        "There is no sharpness law '\(sharpness)': use "
          + SharpnessLaw.named.map(\.name).joined(separator: ", "))
    }
    if let intensity, IntensityLaw(rawValue: intensity) == nil {
      throw ValidationError(
        "There is no intensity law '\(intensity)': use "
          + IntensityLaw.allCases.map(\.name).joined(separator: ", "))
    }
    if let level, !RequestedLaws.referenceLevels.contains(level) {
      throw ValidationError(
        "A reference level of \(level) dB is outside 11 to 60 dB above threshold")
    }
  }

  var requested: RequestedLaws {
    var laws = RequestedLaws()
    laws.sharpness = sharpnessLaw.flatMap { SharpnessLaw.named($0) }
    laws.intensity = intensityLaw.flatMap { IntensityLaw(rawValue: $0) }
    laws.referenceLevel = referenceLevel
    laws.mixing = mixing
    laws.ducking = ducking
    laws.transientLength = transientLength
    laws.envelopeTimes = envelopeTimes
    laws.sharpnessControlMovesTaps = sharpnessControlMovesTaps
    return laws
  }
}

extension RequestedLaws.Mixing: ExpressibleByArgument {}

extension EnvelopeTimes: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) { self.init(argument) }

  /// As help shows it.
  public var defaultValueDescription: String { text }
}

struct PlanRunOptions: ParsableArguments {
  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions
  @OptionGroup var calibration: ProfileOptions

  @Option(help: "The actuator's id (default: the plan's, else the only one on the rig).")
  var actuator: String?

  @Option(
    help:
      "Conditions of the run, for later comparison: revision=..., firmware=..., temperature=...")
  var environment: [String] = []

  @Option(
    help: ArgumentHelp(
      "The job that this run belongs to. If the archive already has a complete run of the job, nothing is played.",
      valueName: "id"))
  var job: String?

  /// The order to play, of which nothing was read yet; the run goes to the archive.
  func order(_ paths: [String], on rig: RigChoice, archive: ArchiveLocation) throws -> RunOrder {
    var order = RunOrder(paths, on: rig, folder: archive.folder)
    order.reading = patterns.reading
    order.laws = laws.requested
    try calibration.say(in: &order)
    order.actuator = actuator
    order.archive = archive
    order.environment = try named(environment)
    if let job {
      try Usage.require(
        (1...200).contains(job.utf8.count) && job.utf8.allSatisfy { (0x21...0x7E).contains($0) },
        "--job takes up to 200 letters, digits and signs, without blanks")
      try Usage.require(
        order.environment[ReadingSeries.jobMark] == nil, "--environment names a job beside --job")
      order.environment[ReadingSeries.jobMark] = job
    }
    return order
  }

  private func named(_ texts: [String]) throws -> [String: String] {
    var environment: [String: String] = [:]
    for text in texts {
      guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
        throw ValidationError("--environment takes NAME=VALUE, such as firmware=1.4, not '\(text)'")
      }
      let name = String(text[..<sign])
      try Usage.require(environment[name] == nil, "--environment names '\(name)' twice")
      environment[name] = String(text[text.index(after: sign)...])
    }
    return environment
  }
}
