// SPDX-License-Identifier: Apache-2.0

package import AHAP
private import Glibc
package import HapticRendering
import JSONText
import Paths
import SoundFiles
package import Units

/// The pattern files that a person named: files as they are, folders by the AHAP files in them.
package enum PatternSet {
  package static let limit = 10_000

  package struct Entry: Sendable, Equatable {
    package let path: String
    package let name: String

    package init(path: String, name: String) {
      self.path = path
      self.name = name
    }
  }

  /// Lists pattern files: those of a folder by name, folders not searched below.
  package static func expand(_ paths: [String]) throws(InputError) -> [Entry] {
    let files = try files(paths, of: ["ahap"], "AHAP file", limit: limit)
    return named(files)
  }

  /// Lists files: what is named, and of a folder those of some endings by name, folders not searched below.
  ///
  /// `what` says what one is, for messages.
  package static func files(
    _ paths: [String], of endings: Set<String>, _ what: String, limit: Int
  ) throws(InputError) -> [String] {
    var files: [String] = []
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else {
        throw InputError("\(path): there is no such file or folder: check the path")
      }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        files.append(path)
        continue
      }
      let found = matching(endings, try names(in: path))
      guard !found.isEmpty else {
        let below = count(of: endings, below: path)
        throw InputError(
          "\(path): the folder holds no \(what)"
            + (below.files == 0
              ? ": name a folder with some"
              : " itself, but folders below it hold \(below.files): name those folders, for "
                + "example \(below.folder)"))
      }
      files += FilePath.sorted(found).map { FilePath.join(path, $0) }
    }
    guard files.count <= limit else {
      throw InputError("\(files.count) files are more than one run takes: at most \(limit)")
    }
    return files
  }

  /// How many files lie in the folders below one, eight deep, and the first folder that holds any.
  private static func count(
    of endings: Set<String>, below folder: String, depth: Int = 8
  ) -> (files: Int, folder: String) {
    var total = (files: 0, folder: "")
    guard depth > 0 else { return total }
    for name in FilePath.sorted((try? names(in: folder)) ?? []) where !name.hasPrefix(".") {
      let path = FilePath.join(folder, name)
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      let inside = matching(endings, (try? names(in: path)) ?? [])
      let below = count(of: endings, below: path, depth: depth - 1)
      if total.folder.isEmpty { total.folder = inside.isEmpty ? below.folder : path }
      total.files += inside.count + below.files
    }
    return total
  }

  private static func matching(_ endings: Set<String>, _ names: [String]) -> [String] {
    names.filter { !$0.hasPrefix(".") && endings.contains(FilePath.ending(of: $0)) }
  }

  private static func names(in folder: String) throws(InputError) -> [String] {
    guard let stream = opendir(folder) else {
      throw InputError("\(folder): the folder cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      names.append(name)
    }
    return names
  }

  private static func named(_ files: [String]) -> [Entry] {
    let names = files.map { path in
      let last = FilePath.name(of: path)
      return last.hasSuffix(".ahap") ? String(last.dropLast(5)) : last
    }
    return zip(files, names.numbered()).map { Entry(path: $0, name: $1) }
  }
}

extension [String] {
  /// The names with a number after those that an earlier one has already, in their order.
  func numbered() -> [String] {
    var taken = Set(self)
    var uses: [String: Int] = [:]
    return map { name in
      var count = uses[name, default: 0] + 1
      var unique = name
      while count > 1 {
        unique = "\(name)-\(count)"
        if taken.insert(unique).inserted { break }
        count += 1
      }
      uses[name] = count
      return unique
    }
  }
}

package struct LoadedPattern: Sendable {
  package let name: String
  package let file: String
  package let document: AHAPDocument
  package let sounds: SoundBank
  package let missingSounds: [String: String]

  package let source: [UInt8]
  /// By the path that the pattern names a sound with: the file that was read.
  package let soundFiles: [String: String]

  package let findings: [String]

  /// The pattern in absolute seconds under the laws of a configuration, as long as its sounds are.
  package func timeline(under configuration: RenderConfiguration) -> Timeline {
    Timeline(
      document.pattern, configuration: configuration,
      soundDuration: { sounds.duration(of: $0) })
  }
}

/// How patterns are read: by itself as Core Haptics reads them.
package struct PatternReading: Sendable {
  /// The folder that waveform paths are relative to; `nil` for the pattern's own.
  package var bundle: String?
  /// Folders outside it that sounds may be read from.
  package var allowedFolders: [String] = []
  /// Whether findings are errors, and a missing sound too.
  package var isStrict = false

  package init() {}
}

package struct PatternLoader: Sendable {
  package var rate: SampleRate
  package var reading: PatternReading
  /// By the path that a pattern names a sound with: the file that it is read from; `nil` to look for them.
  ///
  /// What is not named here is missing.
  package var soundFiles: [String: String]?
  package var byteLimit = 64 << 20
  private static let soundByteLimit = 256 << 20

  /// The longest pattern in seconds: a take is held in memory, at some 2 MB a second.
  package static let longestPattern = 900.0

  package init(rate: SampleRate, reading: PatternReading = .init()) {
    self.rate = rate
    self.reading = reading
  }

  package func load(_ entry: PatternSet.Entry) throws(InputError) -> LoadedPattern {
    try load(try RegularFile(path: entry.path).bytes(limit: byteLimit), as: entry)
  }

  /// Loads a pattern from its text; sounds lie where they would beside the entry's file.
  ///
  /// Sounds of an earlier pattern that has them all are not read again.
  package func load(
    _ bytes: [UInt8], as entry: PatternSet.Entry, reusing earlier: LoadedPattern? = nil
  ) throws(InputError) -> LoadedPattern {
    let document: AHAPDocument
    do throws(AHAPError) {
      document = try AHAPReader.read(
        bytes, fileName: entry.path,
        options: AHAPOptions(mode: reading.isStrict ? .strict : .apple, maximumBytes: byteLimit))
    } catch {
      throw InputError(error.description)
    }
    if reading.isStrict, let first = document.diagnostics.first(where: { $0.severity == .error }) {
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
      bundle: reading.bundle ?? folder, patternFolder: folder, allowed: reading.allowedFolders)
    let paths = Set(document.pattern.events.compactMap(\.waveformPath))
    let isReused = paths.allSatisfy { earlier?.soundFiles[$0] != nil }
    if let earlier, isReused { (sounds, files) = (earlier.sounds, earlier.soundFiles) }
    for path in paths.sorted() where !isReused {
      if let (channels, file) = try decode(path, search, pattern: entry.path) {
        sounds.add(channels, path: path)
        files[path] = file
        continue
      }
      let reason = "there is no sound '\(path)' in '\(search.bundle)'"
      guard !reading.isStrict else {
        throw InputError("\(entry.path): \(reason): put it there, or name its folder with --bundle")
      }
      missing[path] = "\(reason): its event is silent"
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

  /// The channels of a sound and the file that they are of; `nil` where there is none.
  private func decode(
    _ path: String, _ search: SoundFolder, pattern: String
  ) throws(InputError) -> (channels: [Signal], file: String)? {
    let found: RegularFile?
    do throws(InputError) {
      found = try open(path, search)
    } catch {
      throw InputError("\(pattern): \(error)")
    }
    guard let sound = found else { return nil }
    do {
      let file = try SoundFile.read(
        descriptor: sound.descriptor, name: sound.path,
        limit: SoundFile.Limit(bytes: Self.soundByteLimit))
      var channels: [Signal] = []
      for channel in file.channels.prefix(2) {
        channels.append(try Resampler.resample(channel, to: rate))
      }
      return (channels, sound.path)
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

/// Where a pattern's sound files may lie, and the search for one of them.
///
/// A path is looked for below the bundle, then by its last component beside the pattern. What leaves
/// both folders, by `..`, as an absolute path or through a link, is refused unless it lies below a
/// folder that was allowed by name.
struct SoundFolder: Sendable {
  let bundle: String
  let patternFolder: String
  let allowed: [String]

  func open(_ path: String) throws(InputError) -> RegularFile? {
    let leaves = path.hasPrefix("/") || path.split(separator: "/").contains("..")
    if leaves {
      let full = path.hasPrefix("/") ? path : bundle + "/" + path
      // Nothing outside is opened before it is known to be allowed, and what was opened is looked at
      // again: a link may have moved in between.
      guard let real = realPath(full), allowed.contains(where: { isPath(real, below: $0) }) else {
        throw refusal(path)
      }
      let file = try RegularFile(path: full)
      guard let opened = file.truePath, allowed.contains(where: { isPath(opened, below: $0) })
      else {
        throw refusal(path)
      }
      return file
    }
    for candidate in [bundle + "/" + path, patternFolder + "/" + FilePath.name(of: path)] {
      guard realPath(candidate) != nil else { continue }
      let file = try RegularFile(path: candidate)
      let folders = [bundle, patternFolder] + allowed
      guard let real = file.truePath, folders.contains(where: { isPath(real, below: $0) }) else {
        throw refusal(path)
      }
      return file
    }
    return nil
  }

  private func refusal(_ path: String) -> InputError {
    InputError(
      "the sound '\(path)' lies outside the pattern's folder '\(bundle)': "
        + "move it there, or allow its folder with --allow-path DIR")
  }
}
