// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
import Composing
import Devices
import JSONText
import Paths
import Reporting
import Workflows

/// What a sound would be composed to: previews, which change nothing (decision 051).
struct ComposeDesk: Sendable {
  let texts: any DocumentTexts
  private let sounds = SoundShelf()
  private let kept = KeptCompositions()
  /// Compositions at the same time: each takes a processor.
  private let places = Places(2)

  init(texts: any DocumentTexts) { self.texts = texts }

  /// The points of a line of the trace: as many as a wide screen shows.
  private static let mostPoints = 2000

  func compose(_ request: Request) throws -> Response {
    let json = try request.json()
    guard let path = try Request.text("sound", in: json) else {
      throw HTTPFault(400, "bad-value", "'sound' is to be a path from the pattern's folder")
    }
    guard let wish = json["settings"] else {
      throw HTTPFault(400, "bad-value", "'settings' is to be an object with 'method'")
    }
    let settings: ComposeSettings
    do throws(JSONFieldError) {
      settings = try ComposeSettings(preset: wish.utf8(indent: nil))
    } catch {
      throw HTTPFault(422, "settings", "the settings: \(error.path) \(error.message)")
    }
    let (_, _, pattern) = try texts.text(of: request.parameter("name"))
    let file = try SoundPlace(path, besidePattern: pattern)
    if let bytes = kept.bytes(file.path, settings) { return Response(200, bytes) }
    guard places.take() else {
      throw HTTPFault(503, "busy", "two sounds are being composed already: try again in a moment")
        .with("Retry-After", "1")
    }
    defer { places.giveBack() }
    // Looked at before it is read: of what changes meanwhile nothing is kept.
    let stamp = FileStamp(file.path)
    let sound = try sounds.sound(file)
    let bytes = try answer(sound, settings, named: path).utf8(indent: nil) + [0x0A]
    if let stamp { kept.keep(bytes, file.path, stamp, settings) }
    return Response(200, bytes)
  }

  private func answer(
    _ sound: HeardSound, _ settings: ComposeSettings, named name: String
  ) throws -> JSONValue {
    let composition = try sound.compose(settings, tracePoints: Self.mostPoints)
    // As the command writes it, and as a document is read: so a preview is what a file would be.
    let text = PatternText(Array(AHAPWriter.text(composition.pattern).utf8))
    return .object(of: [
      "entries": text.entries.map(\.json),
      "composed": ComposeWorkflow.origin(of: name, digest: sound.digest, settings),
      "trace": composition.trace.map(Self.json),
      "onsets": sound.onsets.map { ($0 * 1e4).rounded() / 1e4 },
      "beats": sound.beats.map { beats -> JSONValue in
        .object(of: [
          "bpm": (beats.tempo * 100).rounded() / 100,
          "times": beats.times.map { ($0 * 1e4).rounded() / 1e4 },
        ])
      }, "seconds": composition.duration, "loudness": sound.loudness.integrated,
      "faults": composition.faultCount,
    ])
  }

  private static func json(_ trace: CompositionTrace) -> JSONValue {
    func line(_ values: [Float], _ places: Double) -> JSONValue {
      .array(values.map { .number((Double($0) * places).rounded() / places) })
    }
    return .object(of: [
      "step": trace.step, "level": line(trace.level, 10), "rise": line(trace.rise, 100),
      "intensity": line(trace.intensity, 1000), "sharpness": line(trace.sharpness, 1000),
    ])
  }
}

/// A sound's file in the folder of a pattern, or below it.
struct SoundPlace: Sendable {
  /// The file itself, links followed.
  let path: String
  /// As the pattern names it.
  let name: String

  init(_ name: String, besidePattern pattern: String) throws {
    let folder = FilePath.folder(of: pattern)
    guard !name.hasPrefix("/"), !name.utf8.contains(0), !name.split(separator: "/").contains("..")
    else {
      throw HTTPFault(
        422, "outside", "the sound '\(name)' lies outside the pattern's folder: move it there")
    }
    let full = FilePath.join(folder, name)
    guard FileStamp(full) != nil else {
      throw HTTPFault(404, "no-sound", "there is no sound '\(name)' in the pattern's folder")
    }
    let file = try RegularFile(path: full)
    guard file.lies(below: folder), let path = file.truePath else {
      throw HTTPFault(
        422, "outside", "the sound '\(name)' lies outside the pattern's folder: move it there")
    }
    (self.path, self.name) = (path, name)
  }
}

/// The last compositions, as they were answered, each as long as its sound's file does not change.
private final class KeptCompositions: Sendable {
  private struct Kept {
    let path: String
    let stamp: FileStamp
    let settings: ComposeSettings
    let bytes: [UInt8]
  }

  private let all = Guarded<[Kept]>([])
  private static let most = 24
  private static let mostBytes = 32 << 20

  func bytes(_ path: String, _ settings: ComposeSettings) -> [UInt8]? {
    let stamp = FileStamp(path)
    return all.withLock { all in
      all.first { $0.path == path && $0.settings == settings && $0.stamp == stamp }?.bytes
    }
  }

  func keep(_ bytes: [UInt8], _ path: String, _ stamp: FileStamp, _ settings: ComposeSettings) {
    all.withLock { all in
      all.removeAll { $0.path == path && ($0.stamp != stamp || $0.settings == settings) }
      all.insert(Kept(path: path, stamp: stamp, settings: settings, bytes: bytes), at: 0)
      var sum = 0
      let fitting = all.prefix(Self.most).prefix { kept in
        sum += kept.bytes.count
        return sum <= Self.mostBytes
      }
      all = Array(fitting)
    }
  }
}
