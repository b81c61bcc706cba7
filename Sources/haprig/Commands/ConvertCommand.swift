import AHAP
import ArgumentParser
import Bench
import HapticClips
import HapticRendering
import RunArchive
import Workflows

/// Converts patterns from one format to another, by the names' endings.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert AHAP to and from .haptic clips, and AHAP to WAV.",
    discussion: """
      The last name is the file to write; its ending says what it is to be. Two AHAP files that are \
      played together, such as OLD.continuous.ahap and OLD.transients.ahap, become one clip. What \
      the other format cannot hold is listed.

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

  @Flag(name: .long, help: "From .haptic: write NAME.continuous.ahap and NAME.transients.ahap.")
  var split = false

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var laws: LawOptions

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
    guard files.count >= 2 else {
      throw ValidationError("Name a file to read and a file to write")
    }
    for file in files where Format(path: file) == nil {
      throw ValidationError("\(file): the name must end in .ahap, .haptic or .wav")
    }
  }

  func run() throws {
    try ExitStatus.of {
      let (sources, target) = (Array(files.dropLast()), files[files.count - 1])
      switch (Set(sources.map { Format(path: $0) }), Format(path: target)) {
      case ([.ahap], .haptic): try writeClip(sources, target)
      case ([.haptic], .ahap) where sources.count == 1: try writePatterns(sources[0], target)
      case ([.ahap], .wav) where sources.count == 1:
        let configuration = laws.requested.configuration
        let pattern = try RenderCommand.pattern(sources[0], patterns, configuration)
        let outcome = try RenderWorkflow.write(
          pattern, configuration: configuration, to: target, by: .terminal(listens: false))
        Console.out(RenderCommand.account(outcome, of: target, configuration.rate))
      default:
        throw InputError(
          "\(sources.joined(separator: ", ")) cannot become \(target): AHAP files become a clip, one "
            + "AHAP file a WAV file, one clip an AHAP file")
      }
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
    let converted: ClipFromPatterns
    do throws(ClipConversionError) {
      converted = try ClipFromPatterns(read)
    } catch {
      throw InputError("\(names): \(error)")
    }
    for change in converted.changes { Console.error("\(names): \(change)") }
    try AtomicFile.write(HapticClipWriter.text(converted.clip), to: target)
    Console.out("\(target)\n")
  }

  private func writePatterns(_ source: String, _ target: String) throws {
    let bytes = try RegularFile(path: source).bytes(limit: LintedFile.byteLimit)
    let clip = try HapticClipReader.read(bytes, fileName: source)
    let converted = PatternsFromClip(clip, split: split)
    for change in converted.changes { Console.error("\(source): \(change)") }
    for file in converted.files {
      let path =
        file.part == .whole ? target : String(target.dropLast("ahap".count)) + file.part.rawValue
      try AtomicFile.write(AHAPWriter.text(file.pattern), to: path)
      Console.out("\(path)\n")
    }
  }
}
