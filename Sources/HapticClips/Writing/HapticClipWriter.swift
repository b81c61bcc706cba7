// SPDX-License-Identifier: Apache-2.0

import JSONText

/// Writes clips as `.haptic` files of version 1.
public enum HapticClipWriter {
  /// Prints a clip as text with a final line feed; reading it gives the same clip.
  ///
  /// The same clip gives the same bytes everywhere. Numbers must be finite; others are a programmer's
  /// error and trap. Notes that are empty are not written.
  public static func text(_ clip: HapticClip) -> String {
    var members = [JSONMember("version", version(clip.version))]
    let notes = metadata(clip.metadata)
    if !notes.isEmpty { members.append(JSONMember("metadata", .object(notes))) }
    var envelopes = [JSONMember("amplitude", .array(clip.amplitude.map(point)))]
    if !clip.frequency.isEmpty {
      envelopes.append(JSONMember("frequency", .array(clip.frequency.map(point))))
    }
    members.append(
      JSONMember("signals", ["continuous": ["envelopes": .object(envelopes)]]))
    return JSONValue.object(members).text(indent: 2) + "\n"
  }

  private static func version(_ version: HapticClip.Version) -> JSONValue {
    [
      "major": .integer(version.major), "minor": .integer(version.minor),
      "patch": .integer(version.patch),
    ]
  }

  private static func text(_ note: String) -> JSONValue? { note.isEmpty ? nil : .string(note) }

  private static func metadata(_ notes: HapticClip.Metadata) -> [JSONMember] {
    let members: [(String, JSONValue?)] = [
      ("editor", text(notes.editor)), ("author", text(notes.author)),
      ("source", text(notes.source)), ("project", text(notes.project)),
      ("tags", notes.tags.isEmpty ? nil : .array(notes.tags.map(JSONValue.string))),
      ("description", text(notes.description)),
    ]
    return members.compactMap { key, value in value.map { JSONMember(key, $0) } }
  }

  private static func point(_ point: HapticClip.AmplitudePoint) -> JSONValue {
    var members = [
      JSONMember("time", .number(point.time)), JSONMember("amplitude", .number(point.amplitude)),
    ]
    if let emphasis = point.emphasis {
      members.append(
        JSONMember(
          "emphasis",
          ["amplitude": .number(emphasis.amplitude), "frequency": .number(emphasis.frequency)]))
    }
    return .object(members)
  }

  private static func point(_ point: HapticClip.FrequencyPoint) -> JSONValue {
    ["time": .number(point.time), "frequency": .number(point.frequency)]
  }
}
