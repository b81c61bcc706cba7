import AHAP
import HapticRendering
import JSONText
import Paths
import SoundFiles
public import Units

/// Reads pattern files and the sounds they name.
public struct PatternLoader: Sendable {
  /// The rate that sounds are brought to.
  public var rate: SampleRate
  /// Whether findings are errors, and a missing sound too.
  public var isStrict = false
  /// The folder that waveform paths are relative to; `nil` for the pattern's own.
  public var bundle: String?
  /// Folders outside it that sounds may be read from.
  public var allowedFolders: [String] = []
  /// By the path that a pattern names a sound with: the file that it is read from; `nil` to look for them.
  ///
  /// What is not named here is missing.
  public var soundFiles: [String: String]?
  /// The most bytes of a pattern file.
  public var byteLimit = 64 << 20
  /// The most bytes of a decoded sound.
  public var soundByteLimit = 256 << 20

  /// The longest pattern in seconds: a take is held in memory, at some 2 MB a second.
  public static let longestPattern = 900.0

  /// Makes a loader for a rate.
  public init(rate: SampleRate) { self.rate = rate }

  /// Reads one pattern.
  public func load(_ entry: PatternSet.Entry) throws(InputError) -> LoadedPattern {
    let bytes = try RegularFile(path: entry.path).bytes(limit: byteLimit)
    let document: AHAPDocument
    do throws(AHAPError) {
      document = try AHAPReader.read(
        bytes, fileName: entry.path,
        options: AHAPOptions(mode: isStrict ? .strict : .apple, maximumBytes: byteLimit))
    } catch {
      throw InputError(error.description)
    }
    if isStrict, let first = document.diagnostics.first(where: { $0.severity == .error }) {
      throw InputError(first.text(fileName: entry.path, bytes: bytes))
    }
    guard document.pattern.duration <= Self.longestPattern else {
      throw InputError(
        "\(entry.path): the pattern lasts \(document.pattern.duration) s, and at most "
          + "\(Int(Self.longestPattern)) s are played: is a time given in milliseconds?")
    }
    var sounds = SoundBank()
    var missing: [String: String] = [:]
    var files: [String: String] = [:]
    let folder = FilePath.folder(of: entry.path)
    let search = SoundFolder(
      bundle: bundle ?? folder, patternFolder: folder, allowed: allowedFolders)
    for path in Set(document.pattern.events.compactMap(\.waveformPath)).sorted() {
      switch try decode(path, search, pattern: entry.path) {
      case .sound(let channels, let file):
        sounds.add(channels, path: path)
        files[path] = file
      case .missing(let reason):
        guard !isStrict else {
          throw InputError(
            "\(entry.path): \(reason): put it there, or name its folder with --bundle")
        }
        missing[path] = "\(reason): its event is silent"
      }
    }
    let findings =
      document.diagnostics.map { finding in
        "\(entry.path):\(finding.position.line):\(finding.position.column): "
          + "\(finding.severity): \(finding.message) [\(finding.code.rawValue)]"
      }
      + missing.sorted { $0.key < $1.key }.map { "\(entry.path): warning: \($0.value)" }
    return LoadedPattern(
      name: entry.name, file: entry.path, document: document, sounds: sounds,
      missingSounds: missing, source: bytes, soundFiles: files, findings: findings)
  }

  private enum Decoded {
    case sound([Signal], file: String)
    case missing(String)
  }

  private func decode(
    _ path: String, _ search: SoundFolder, pattern: String
  ) throws(InputError) -> Decoded {
    let found: RegularFile?
    do throws(InputError) {
      found = try open(path, search)
    } catch {
      throw InputError("\(pattern): \(error)")
    }
    guard let sound = found else {
      return .missing("there is no sound '\(path)' in '\(search.bundle)'")
    }
    do {
      let file = try SoundFile.read(
        descriptor: sound.descriptor, name: sound.path,
        limit: SoundFile.Limit(bytes: soundByteLimit))
      var channels: [Signal] = []
      for channel in file.channels.prefix(2) {
        channels.append(try Resampler.resample(channel, to: rate))
      }
      return .sound(channels, file: sound.path)
    } catch {
      throw InputError("\(pattern): the sound '\(path)' cannot be used: \(error)")
    }
  }

  private func open(
    _ path: String, _ search: SoundFolder
  ) throws(InputError) -> RegularFile? {
    guard let soundFiles else { return try search.open(path) }
    guard let file = soundFiles[path] else { return nil }
    return try RegularFile(path: file)
  }
}
