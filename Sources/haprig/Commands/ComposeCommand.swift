// SPDX-License-Identifier: Apache-2.0

import AHAP
import ArgumentParser
import Bench
import Composing
import JSONText
import Paths
import Reporting
import RunArchive
import SoundFiles
import Units
import Workflows

struct ComposeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compose",
    abstract: "Make haptic patterns from sounds.",
    discussion: """
      There are several methods (docs/COMPOSING.md). Which one suits a sound is a matter of taste, so try them. \
      --set changes one of the parameters that --parameters lists; a preset changes several. For a folder of sounds, \
      --out names the folder for the patterns.

      --score plays a sound with its pattern on a rig and measures how well they agree: the time from sound to \
      touch, how similar their envelopes are, and which audible onsets can also be felt.

      Reads WAV, FLAC, Ogg, Opus, MP3, AIFF and CAF. Reads AAC and the sound of videos if the program 'ffmpeg' is \
      installed.

      EXAMPLES
        haprig compose kick.wav --out kick.ahap
        haprig compose song.flac --method bands --embed-sound --out song.ahap
        haprig compose sounds --preset game --out patterns
        haprig compose kick.wav --set threshold=6 --explain kick.html --out kick.ahap
        haprig compose kick.wav --out kick.ahap --score --rig rigs/simulated-vcm.yaml
        haprig compose --parameters
      """)

  @Argument(help: "Sound files or folders of them.", completion: .file())
  var sounds: [String] = []

  @Option(help: "The pattern to write, or the folder for several.", completion: .ahap)
  var out: String?

  @OptionGroup var settings: ComposeOptions

  @Flag(
    help: """
      Make the pattern play the sound too. The sound file is copied beside the pattern if it is \
      elsewhere.
      """)
  var embedSound = false

  @Option(
    help: """
      Also draw the analysis of the sound and the resulting pattern into this page; for one \
      sound only.
      """,
    completion: .html)
  var explain: String?

  @Flag(help: "Also play sound and pattern on the rig, and score how they agree.")
  var score = false

  @OptionGroup(title: "OPTIONS OF --score") var rig: RigFileOption
  @OptionGroup(title: "OPTIONS OF --score") var archive: ArchiveOptions
  @OptionGroup(title: "OPTIONS OF --score") var calibration: ProfileOptions

  @Flag(help: "List the methods and their parameters, and compose nothing.")
  var parameters = false

  @Flag(help: "Print what was composed as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    if parameters { return }
    try Usage.require(!sounds.isEmpty, "Name a sound file, or a folder of them")
    try Usage.require(out != nil, "Name what is to be written: --out X.ahap, or a folder")
    try Usage.require(score || rig.given == nil, "--rig goes with --score, which plays on it")
  }

  func run() async throws {
    if parameters { return Console.out(ParameterTable.listing, asJSON: json) }
    guard let out else { return }
    // Told now rather than after everything was composed.
    if score { _ = try rig.file }
    let settings = try settings.settings()
    let entries = try ComposeWorkflow.entries(of: sounds, out: out)
    if explain != nil, entries.count != 1 {
      throw InputError("--explain draws one sound, not \(entries.count): name one")
    }
    let progress = ProgressLine(isQuiet: quiet)
    var refused: [String] = []
    var rows: [JSONValue] = []
    for (index, entry) in entries.enumerated() {
      let place = entries.count > 1 ? "\(index + 1) of \(entries.count): " : ""
      do {
        let composed = try ComposeWorkflow.compose(
          entry.sound, settings, tracing: explain != nil
        ) { progress.show("\(place)\(entry.sound) \(Int(100 * $0)) %") }
        let row = ComposedRow(entry, composed, settings)
        try write(composed, of: entry, settings)
        progress.clear()
        if !json, !quiet || entries.count == 1 { Console.out(row.text) }
        let score = try await scored(composed, of: entry)
        rows.append(row.json(score))
        if !json, let score { Console.out(score.text) }
      } catch {
        progress.clear()
        guard entries.count > 1, Self.isOfOne(error) else { throw error }
        Console.error("haprig: \(error)")
        refused.append(entry.sound)
      }
    }
    progress.clear()
    if json { Console.out(["composed": .array(rows)]) }
    if !refused.isEmpty {
      throw InputError("\(refused.count) of \(entries.count) sounds were not composed")
    }
  }

  /// Plays a sound with its pattern on the rig, where that is wished.
  private func scored(
    _ composed: ComposeWorkflow.Composed, of entry: ComposeWorkflow.Entry
  ) async throws -> ComposeScore? {
    guard score else { return nil }
    var order = RunOrder(
      [entry.pattern], on: RigChoice(file: try rig.file), folder: try archive.location().folder)
    order.archive = try archive.location()
    try calibration.say(in: &order)
    let user = RigOperator.terminal(isQuiet: quiet || json)
    let request = try RunRequest(order, by: user)
    let outcome = try await RunWorkflow(request, by: user).execute()
    if let fault = outcome.fault { throw fault }
    let heard = try ComposeWorkflow.compose(
      entry.sound, ComposeSettings(.onsets), tracing: true)
    return try ComposeScore(
      request.patterns[0].document.pattern, heard: heard.composition, record: outcome.record,
      folder: outcome.folder)
  }

  /// Whether an error is a sound's own, so that the others can still be composed.
  private static func isOfOne(_ error: any Error) -> Bool {
    error is InputError || error is SoundFileError
  }

  private func write(
    _ composed: ComposeWorkflow.Composed, of entry: ComposeWorkflow.Entry,
    _ settings: ComposeSettings
  ) throws {
    try Folder.make(FilePath.folder(of: entry.pattern))
    let name = FilePath.name(of: entry.sound)
    let path = embedSound || score ? try ComposeWorkflow.embed(entry) : nil
    let pattern = ComposeWorkflow.written(composed, settings, of: name, playing: path)
    try AtomicFile.write(AHAPWriter.text(pattern), to: entry.pattern)
    guard let explain else { return }
    let page = ComposePage(of: name, settings, composed.loudness, composed.composition)
    try AtomicFile.write(page.text, to: explain)
  }
}

/// The method and its parameters: a preset, and what is set by name beside it.
struct ComposeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The method: \(ComposeMethod.allCases.map(\.rawValue).joined(separator: ", ")) (default: the preset's, else envelope)."
    ), transform: method)
  var method: ComposeMethod?

  private static func method(_ name: String) throws -> ComposeMethod {
    guard let method = ComposeMethod(rawValue: name) else {
      let known = ComposeMethod.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no method '\(name)': there are \(known)")
    }
    return method
  }

  @Option(
    help: ArgumentHelp(
      "Settings by name (\(ComposePreset.named.map(\.name).joined(separator: ", "))) or from a file."
    ), completion: .json)
  var preset: String?

  @Option(
    help: ArgumentHelp("Set a parameter; may be given several times.", valueName: "name=value"))
  var set: [String] = []

  func settings() throws -> ComposeSettings {
    var settings = ComposeSettings(method ?? .envelope)
    if let preset {
      settings = try ComposePreset.settings(preset)
      if let method, method != settings.method {
        throw InputError(
          "the preset '\(preset)' is for the method '\(settings.method.rawValue)': leave --method out"
        )
      }
    }
    for word in set {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      let known = settings.parameters.map(\.rawValue).joined(separator: ", ")
      guard parts.count == 2, let parameter = ComposeParameter(rawValue: parts[0]),
        settings[parameter] != nil
      else {
        throw InputError(
          "--set \(word): the method '\(settings.method.rawValue)' has \(known), each as NAME=VALUE"
        )
      }
      guard let value = Double(parts[1]), parameter.range.contains(value) else {
        let (low, high) = (parameter.range.lowerBound, parameter.range.upperBound)
        throw InputError(
          "--set \(word): \(parameter.rawValue) goes from \(low) to \(high) \(parameter.unit.rawValue)"
        )
      }
      settings[parameter] = value
    }
    return settings
  }
}

/// What was composed of a sound, in a line.
private struct ComposedRow {
  let entry: ComposeWorkflow.Entry
  let composed: ComposeWorkflow.Composed
  let settings: ComposeSettings

  init(
    _ entry: ComposeWorkflow.Entry, _ composed: ComposeWorkflow.Composed,
    _ settings: ComposeSettings
  ) {
    self.entry = entry
    self.composed = composed
    self.settings = settings
  }

  private func count(_ kind: HapticEvent.Kind) -> Int {
    composed.composition.pattern.events.filter { $0.kind == kind }.count
  }

  var text: String {
    let (taps, holds) = (count(.hapticTransient), count(.hapticContinuous))
    let faults = composed.composition.faultCount
    return
      "\(entry.pattern): \(EngineeringFormat.fixed(composed.info.duration, 3)) s of sound, "
      + "\(Count.of(taps, "tap")), \(Count.of(holds, "vibration"))"
      + (taps + holds == 0 ? " (silence)" : "")
      + (faults > 0 ? "; \(Count.of(faults, "sample")) were no number and count as 0" : "") + "\n"
  }

  func json(_ score: ComposeScore?) -> JSONValue {
    .object(of: [
      "sound": entry.sound, "pattern": entry.pattern, "settings": settings.preset,
      "seconds": composed.info.duration, "rate": composed.info.rate.hertz,
      "channels": composed.info.channelCount, "format": composed.info.formatName,
      "loudness": composed.loudness.integrated, "taps": count(.hapticTransient),
      "vibrations": count(.hapticContinuous),
      "points": composed.composition.pattern.curves.reduce(0) { $0 + $1.points.count },
      "faults": composed.composition.faultCount, "score": score?.json,
    ])
  }
}

/// The methods and their parameters as people and programs read them.
private struct ParameterTable: Listing {
  static let listing = ParameterTable()

  var text: String {
    ComposeMethod.allCases.map { method in
      let rows = ComposeSettings(method).parameters.map { parameter in
        let unit = parameter.unit == .one ? "" : " " + parameter.unit.rawValue
        let (low, high) = (parameter.range.lowerBound, parameter.range.upperBound)
        let name = parameter.rawValue.padded(to: 20)
        let value = EngineeringFormat.significant(parameter.standard(for: method) ?? 0) + unit
        let range =
          "\(EngineeringFormat.significant(low)) to \(EngineeringFormat.significant(high))"
        return "  \(name)\(value.padded(to: 10))\(range.padded(to: 18))\(parameter.about)\n"
      }
      return "\(method.rawValue): \(method.about)\n" + rows.joined()
    }.joined(separator: "\n")
  }

  var json: JSONValue { ComposeTable.json }
}
