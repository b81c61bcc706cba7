// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
import Devices
import HapticRendering
import JSONText
import Units

/// A document as it was read: its pattern with its sounds, and where its entries stand.
struct ReadDocument: Sendable {
  let name: String
  let version: Int
  let pattern: LoadedPattern
  let text: PatternText

  /// The entry that a place of the text lies in.
  func entry(at offset: Int?) -> Int? { offset.flatMap(text.entry(at:)) }

  /// By the places of the timeline's events: their entries.
  var entriesOfEvents: [Int?] {
    // The timeline puts events in this order, and numbers them.
    pattern.document.pattern.events.enumerated().sorted {
      $0.element.time != $1.element.time
        ? $0.element.time < $1.element.time : $0.offset < $1.offset
    }.map { entry(at: $0.element.source.position?.offset) }
  }
}

/// Documents as they are now, each read once a version.
final class DocumentShelf: Sendable {
  let texts: any DocumentTexts
  private let kept = Guarded<[ReadDocument]>([])

  /// Documents that are kept: each may hold decoded sounds.
  private static let most = 3

  init(texts: any DocumentTexts) { self.texts = texts }

  /// Reads a document, its sounds at a rate; sounds that an earlier version had too are not read again.
  func read(_ name: String, rate: SampleRate) throws -> ReadDocument {
    let (text, version, path) = try texts.text(of: name)
    let known = kept.withLock { kept in
      kept.first { $0.name == name && $0.pattern.sounds.hasRate(rate) }
    }
    if let known, known.version == version { return known }
    let pattern: LoadedPattern
    do throws(InputError) {
      pattern = try PatternLoader(rate: rate).load(
        text.bytes, as: PatternSet.Entry(path: path, name: Self.shortName(of: name)),
        reusing: known?.pattern)
    } catch {
      // The sentence without the text around its place.
      let sentence = "\(error)".split(separator: "\n", maxSplits: 1).first.map(String.init)
      throw HTTPFault(422, "pattern", sentence ?? "the pattern cannot be read")
    }
    let made = ReadDocument(name: name, version: version, pattern: pattern, text: text)
    kept.withLock { kept in
      kept.removeAll { $0.name == name && $0.pattern.sounds.hasRate(rate) }
      kept.insert(made, at: 0)
      if kept.count > Self.most { kept.removeLast() }
    }
    return made
  }

  /// The last part of a name: what a run calls the pattern.
  static func shortName(of name: String) -> String {
    name.split(separator: "/").last.map(String.init) ?? name
  }
}

extension SoundBank {
  /// Whether its sounds, where it has any, are at a rate.
  fileprivate func hasRate(_ rate: SampleRate) -> Bool {
    sounds.values.allSatisfy { $0.allSatisfy { $0.rate == rate } }
  }
}
