// SPDX-License-Identifier: Apache-2.0

import AHAP
import Foundation
import HapticRendering
import SoundFiles
import Units

/// The sound files of an engine: those that were registered, and those that patterns name.
struct SoundShelf {
  struct Resource {
    let channels: [Signal]
    let useVolumeEnvelope: Bool
    let loopEnabled: Bool
  }

  private var resources: [CHHapticAudioResourceID: Resource] = [:]
  private var next = 1
  private let rate: SampleRate

  init(rate: SampleRate) { self.rate = rate }

  mutating func register(
    _ url: URL, useVolumeEnvelope: Bool, loopEnabled: Bool
  ) throws(CHHapticError) -> CHHapticAudioResourceID {
    let channels = try Self.read(url.path, rate: rate)
    defer { next += 1 }
    resources[next] = Resource(
      channels: channels, useVolumeEnvelope: useVolumeEnvelope, loopEnabled: loopEnabled)
    return next
  }

  /// Forgets a sound; patterns that are players already keep it.
  mutating func unregister(_ id: CHHapticAudioResourceID) throws(CHHapticError) {
    guard resources.removeValue(forKey: id) != nil else { throw Self.unknown(id) }
  }

  mutating func removeAll() { resources = [:] }

  /// A pattern with its sounds, whose events say how a registered one is played.
  func load(
    _ source: CHHapticPattern
  ) throws(CHHapticError) -> (pattern: HapticPattern, sounds: SoundBank) {
    var (pattern, bank) = (source.pattern, SoundBank())
    for id in source.resources {
      guard let resource = resources[id] else { throw Self.unknown(id) }
      let path = CHHapticPattern.path(ofResource: id)
      bank.add(resource.channels, path: path)
      for index in pattern.events.indices where pattern.events[index].waveformPath == path {
        pattern.events[index].useVolumeEnvelope = resource.useVolumeEnvelope
        pattern.events[index].loopEnabled = resource.loopEnabled
      }
    }
    for path in Set(pattern.events.compactMap(\.waveformPath)) where bank.sounds[path] == nil {
      bank.add(try Self.read(try Self.find(path, folder: source.folder), rate: rate), path: path)
    }
    return (pattern, bank)
  }

  private static func find(_ path: String, folder: String?) throws(CHHapticError) -> String {
    let folders = [folder, Bundle.main.resourcePath].compactMap { $0 }
    let last = (path as NSString).lastPathComponent
    var candidates = path.hasPrefix("/") ? [path] : []
    candidates += folders.flatMap { [$0 + "/" + path, $0 + "/" + last] }
    guard let found = candidates.first(where: FileManager.default.fileExists(atPath:)) else {
      throw CHHapticError(
        .fileNotFound,
        "there is no sound '\(path)' in \(folders.joined(separator: ", ")): put it there")
    }
    return found
  }

  private static func read(_ path: String, rate: SampleRate) throws(CHHapticError) -> [Signal] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CHHapticError(.fileNotFound, "\(path): there is no such sound file")
    }
    do {
      let file = try SoundFile.read(path: path, limit: SoundFile.Limit(bytes: 256 << 20))
      return try file.channels.prefix(2).map { try Resampler.resample($0, to: rate) }
    } catch {
      throw CHHapticError(.invalidAudioResource, "\(path): the sound cannot be used: \(error)")
    }
  }

  private static func unknown(_ id: CHHapticAudioResourceID) -> CHHapticError {
    CHHapticError(
      .invalidAudioResource,
      "there is no audio resource \(id) in this engine: register its file with this engine first")
  }
}
