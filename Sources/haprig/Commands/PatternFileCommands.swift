// SPDX-License-Identifier: Apache-2.0

import AHAP
import ArgumentParser
import Bench
import HapticClips
import HapticRendering
import JSONText
import Reporting
import RunArchive
import Workflows

struct FormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Rewrite pattern files in one canonical form, without losing any content.",
    discussion: """
      Changes files in place. Each file is rewritten completely or not at all. Files that already have the form are \
      not touched.

      EXAMPLES
        haprig format rigs/patterns
        haprig format --check *.ahap
        haprig format --stdout tap.ahap | less
      """)

  @Argument(help: "Pattern files or folders of them.", completion: .ahap)
  var paths: [String]

  @Flag(help: "Change nothing; list the files that would change, and exit with 1.")
  var check = false

  @Flag(help: "Print the canonical form of a single file, and change nothing.")
  var stdout = false

  @Flag(help: "Print which files changed as JSON.")
  var json = false

  func validate() throws {
    if check && stdout { throw ValidationError("--check and --stdout exclude each other") }
    if json && stdout { throw ValidationError("--json and --stdout exclude each other") }
  }

  func run() throws {
    let entries = try PatternSet.expand(paths)
    if stdout, entries.count != 1 {
      throw InputError("--stdout prints one file, not \(entries.count): name one")
    }
    var changed = 0
    var files: [JSONValue] = []
    // Whatever ends it early, what was written until then is told.
    defer { if json { Console.out(["files": .array(files)]) } }
    for entry in entries {
      let bytes = try RegularFile(path: entry.path).bytes(limit: LintedFile.byteLimit)
      let text = try AHAPFormatter.text(of: bytes, fileName: entry.path)
      let isChanged = Array(text.utf8) != bytes
      if stdout {
        Console.out(text)
      } else if isChanged {
        changed += 1
        if !check { try AtomicFile.write(text, to: entry.path) }
        if !json {
          Console.out("\(entry.path): \(check ? "not in canonical form" : "formatted")\n")
        }
      }
      files.append(.object(of: ["file": entry.path, "changed": isChanged]))
    }
    if check, changed > 0 { throw ExitStatus.failed }
  }
}

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert AHAP to and from .haptic clips, and AHAP to WAV.",
    discussion: """
      The last name is the file to write; its extension says which format. Two AHAP files that are played together, \
      such as OLD.continuous.ahap and OLD.transients.ahap, become one clip. The command lists what the other format \
      cannot hold.

      EXAMPLES
        haprig convert tap.ahap tap.haptic
        haprig convert clip.haptic clip.ahap
        haprig convert clip.haptic clip.ahap --split
        haprig convert tap.ahap tap.wav
      """)

  @Argument(
    help: "The files to read, then the file to write.",
    completion: .file(extensions: ["ahap", "haptic", "wav"]))
  var files: [String]

  @Flag(help: "From .haptic: write NAME.continuous.ahap and NAME.transients.ahap.")
  var split = false

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions

  @Flag(help: "Print what was written, and what the format cannot hold, as JSON.")
  var json = false

  private enum Format: String {
    case ahap
    case haptic
    case wav

    init?(path: String) {
      guard let dot = path.lastIndex(of: ".") else { return nil }
      self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }
  }

  func validate() throws {
    try Usage.require(files.count >= 2, "Name a file to read and a file to write")
    for file in files where Format(path: file) == nil {
      throw ValidationError("\(file): the name must end in .ahap, .haptic or .wav")
    }
  }

  func run() throws {
    let (sources, target) = (Array(files.dropLast()), files[files.count - 1])
    switch (Set(sources.map { Format(path: $0) }), Format(path: target)) {
    case ([.ahap], .haptic): try writeClip(sources, target)
    case ([.haptic], .ahap) where sources.count == 1: try writePatterns(sources[0], target)
    case ([.ahap], .wav) where sources.count == 1:
      let configuration = laws.requested.configuration
      let pattern = try RenderCommand.pattern(sources[0], patterns, configuration)
      let outcome = try RenderWorkflow.write(
        pattern, configuration: configuration, to: target, by: .terminal(listens: false))
      if json {
        show(
          [RenderCommand.json(outcome, of: target, pattern, configuration.rate)], changes: [],
          of: target)
      } else {
        Console.out(RenderCommand.summary(outcome, of: target, configuration.rate))
      }
    default:
      throw InputError(
        "\(sources.joined(separator: ", ")) cannot become \(target): AHAP files become a clip, one "
          + "AHAP file a WAV file, one clip an AHAP file")
    }
  }

  private func writeClip(_ sources: [String], _ target: String) throws {
    let read = try sources.map { source in
      let bytes = try RegularFile(path: source).bytes(limit: LintedFile.byteLimit)
      return try AHAPReader.read(
        bytes, fileName: source, options: AHAPOptions(limitsDurations: false)
      ).pattern
    }
    let names = sources.joined(separator: ", ")
    let converted = try InputError.naming(names + ": ") { try ClipFromPatterns(read) }
    try AtomicFile.write(HapticClipWriter.text(converted.clip), to: target)
    show(
      [["file": .string(target), "kind": "clip"]], changes: converted.changes.map { "\($0)" },
      of: names)
  }

  private func writePatterns(_ source: String, _ target: String) throws {
    let bytes = try RegularFile(path: source).bytes(limit: LintedFile.byteLimit)
    let clip = try HapticClipReader.read(bytes, fileName: source)
    let converted = PatternsFromClip(clip, split: split)
    var written: [JSONValue] = []
    for file in converted.files {
      let path =
        file.part == .whole ? target : String(target.dropLast("ahap".count)) + file.part.rawValue
      try AtomicFile.write(AHAPWriter.text(file.pattern), to: path)
      written.append(["file": .string(path), "kind": "pattern"])
    }
    show(written, changes: converted.changes.map { "\($0)" }, of: source)
  }

  private func show(_ written: [JSONValue], changes: [String], of source: String) {
    guard !json else {
      return Console.out([
        "written": .array(written), "changes": .array(changes.map(JSONValue.string)),
      ])
    }
    for change in changes { Console.error("\(source): \(change)") }
    for file in written { Console.out("\(file["file"]?.string ?? "")\n") }
  }
}

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a pattern for Apple's devices, or a run's recordings for other programs.",
    discussion: """
      --apple writes curves of at most 16 points and ramps of at least 1 ms, splits continuous events at 30 s, and \
      limits values to their ranges. The pattern feels and sounds the same. The command lists what it changed.

      --format writes the recordings of a run: readings.csv, and a file for each take with the drive as sent and \
      everything that was captured. Formats: wav (float32), mat (MATLAB 4, also for Octave and SciPy: wavedata with \
      a row for each channel, and samplerate), uff58 (universal file format), csv (times in seconds from the \
      pattern's start).

      EXAMPLES
        haprig export --apple long.ahap --out phone.ahap
        haprig export --format mat reports/20260314-092653-lab-nightly --out lab
      """)

  @Argument(help: "The pattern, or the run's folder.", completion: .ahap)
  var file: String

  @Flag(help: "Export a pattern within the limits that are known to be safe on Apple's devices.")
  var apple = false

  @Option(help: "Export a run's recordings in this format: wav, mat, uff58 or csv.")
  var format: RunExport.Format?

  @Option(help: "The AHAP file to write, or the folder for a run's files.", completion: .ahap)
  var out: String

  @Flag(help: "Cut off events longer than 30 s, as Core Haptics does, instead of splitting them.")
  var cutLongEvents = false

  @Flag(help: "Print what was written, and what was changed for it, as JSON.")
  var json = false

  func validate() throws {
    try Usage.require(
      apple != (format != nil),
      "Say for what to export: --apple for a pattern, --format wav|mat|uff58|csv for a run")
  }

  func run() throws {
    if let format {
      let files = try RunExport(folder: file, out: out, format: format).write().map {
        "\(out)/\($0)"
      }
      guard !json else { return Self.show(files, changes: []) }
      return Console.out(files.map { "\($0)\n" }.joined())
    }
    let bytes = try RegularFile(path: file).bytes(limit: LintedFile.byteLimit)
    let document = try AHAPReader.read(
      bytes, fileName: file, options: AHAPOptions(limitsDurations: cutLongEvents))
    let export = AppleExport(document.pattern)
    try AtomicFile.write(AHAPWriter.text(export.pattern), to: out)
    guard !json else { return Self.show([out], changes: export.changes.map { "\($0)" }) }
    for change in export.changes { Console.error("\(file): \(change)") }
    let count = export.changes.count
    Console.out("\(out): \(count) kind\(count == 1 ? "" : "s") of change\n")
  }

  private static func show(_ files: [String], changes: [String]) {
    Console.out([
      "written": .array(files.map { ["file": .string($0)] }),
      "changes": .array(changes.map(JSONValue.string)),
    ])
  }
}

extension RunExport.Format: ExpressibleByArgument {}
