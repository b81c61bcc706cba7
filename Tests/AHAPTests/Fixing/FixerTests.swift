// SPDX-License-Identifier: Apache-2.0

import AHAP
import Testing

/// A text, what a fixer makes of it, and the kinds that it was asked for.
struct Mending: Sendable, CustomTestStringConvertible {
  var name: String
  var kinds: Set<FixKind>
  var before: String
  var after: String

  init(_ name: String, by kinds: Set<FixKind> = [.safe], _ before: String, _ after: String) {
    self.name = name
    self.kinds = kinds
    self.before = before
    self.after = after
  }

  /// Takes the entries of a pattern, laid out on one line.
  static func entries(
    _ name: String, by kinds: Set<FixKind> = [.safe], _ before: String, _ after: String
  ) -> Self {
    func file(_ entries: String) -> String { "{\"Version\": 1.0, \"Pattern\": [\(entries)]}\n" }
    return Self(name, by: kinds, file(before), file(after))
  }

  /// Takes the members of a transient that has its intensity and sharpness.
  static func transient(
    _ name: String, by kinds: Set<FixKind> = [.safe], _ before: String, _ after: String
  ) -> Self {
    func entry(_ members: String) -> String {
      "{\"Event\": {\"EventType\": \"HapticTransient\", \(members)}}"
    }
    return entries(name, by: kinds, entry(before), entry(after))
  }

  /// Takes the control points of a curve at 0.25 s in a pattern of 2 s.
  static func points(
    _ name: String, by kinds: Set<FixKind> = [.safe], _ before: String, _ after: String
  ) -> Self {
    func curve(_ points: String) -> String {
      """
      {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.25,
        "ParameterCurveControlPoints": [\(points)]}},
      {"Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0, "Time": 2}}
      """
    }
    return entries(name, by: kinds, curve(before), curve(after))
  }

  var testDescription: String { name }

  static let full = """
    "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 1}, \
    {"ParameterID": "HapticSharpness", "ParameterValue": 1}]
    """
  static let tap = "{\"Event\": {\"Time\": 1, \"EventType\": \"HapticTransient\", \(full)}}"
}

/// Each fix changes its own bytes and no others.
struct FixerTests {
  private static let full = Mending.full
  private static let tap = Mending.tap

  static let layout: [Mending] = [
    Mending(
      "byte order mark", "\u{FEFF}{\"Version\": 1.0, \"Pattern\": []}\n",
      "{\"Version\": 1.0, \"Pattern\": []}\n"),
    Mending(
      "trailing commas", "{\"Version\": 1.0, \"Pattern\": [\(tap) ,\n ] , }\n",
      "{\"Version\": 1.0, \"Pattern\": [\(tap) \n ]  }\n"),
    Mending(
      "a last line without an end stays", "{\"Version\": 1.0, \"Pattern\": []}",
      "{\"Version\": 1.0, \"Pattern\": []}"),
    Mending(
      "misspelled Pattern", "{\"Version\": 1.0, \"patern\": []}\n",
      "{\"Version\": 1.0, \"Pattern\": []}\n"),
    Mending(
      "missing Version in the layout of the file", "{\n\t\"Pattern\" : [\n\t]\n}\n",
      "{\n\t\"Version\" : 1.0,\n\t\"Pattern\" : [\n\t]\n}\n"),
    Mending(
      "missing Version in a compact file", "{\"Pattern\":[]}\n",
      "{\"Version\":1.0,\"Pattern\":[]}\n"),
    Mending(
      "integer Version", "{\"Version\": 1, \"Pattern\": []}\n",
      "{\"Version\": 1.0, \"Pattern\": []}\n"),
    Mending(
      "odd Version", "{\"Version\": {\"major\": 2}, \"Pattern\": []}\n",
      "{\"Version\": 1.0, \"Pattern\": []}\n"),
    Mending(
      "earlier duplicates",
      "{\"Pattern\": 7, \"Version\": 2, \"Version\": 3, \"Version\": 1.0, \"Pattern\": []}\n",
      "{\"Version\": 1.0, \"Pattern\": []}\n"),
    Mending(
      "duplicates within Metadata, written with an escape",
      #"{"Version": 1.0, "Metadata": {"a": 1, "b": [{"c": 1, "\u0063": 2}], "a": 3}, "Pattern": []}"#
        + "\n",
      #"{"Version": 1.0, "Metadata": {"b": [{"\u0063": 2}], "a": 3}, "Pattern": []}"# + "\n"),
    .entries("empty entries", "{}, \(tap), { }, {}", tap),
    .entries("nothing but empty entries and a trailing comma", "{}, {} ,", ""),
  ]

  static let events: [Mending] = [
    .entries(
      "names without which nothing is played",
      #"{"Event": {"Time": 0, "EventTyp": "HapticTransient", \#(full)}}, {"Event": {"Time": 1, "EventType": "HapticTransiet", \#(full)}}, {"Parameter": {"ParameterID": "AudioPanControl", "parameterValue": 0}}"#,
      #"{"Event": {"Time": 0, "EventType": "HapticTransient", \#(full)}}, {"Event": {"Time": 1, "EventType": "HapticTransient", \#(full)}}, {"Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0}}"#
    ),
    .entries(
      "a type that may be either of two stays",
      #"{"Event": {"Time": 0, "EventType": "Continuous", "EventDuration": 1, \#(full)}}"#,
      #"{"Event": {"Time": 0, "EventType": "Continuous", "EventDuration": 1, \#(full)}}"#),
    .transient("missing Time", full, "\"Time\": 0").fronted(full),
    .transient(
      "flags as numbers",
      "\"Time\": 0, \"EventWaveformLoopEnabled\": 1, \"EventWaveformUseVolumeEnvelope\": 0, \(full)",
      "\"Time\": 0, \"EventWaveformLoopEnabled\": true, \"EventWaveformUseVolumeEnvelope\": false, \(full)"
    ),
    .transient(
      "a duration that is ignored goes", "\"Time\": 0, \"EventDuration\": -1, \(full)",
      "\"Time\": 0, \(full)"),
    .transient(
      "a duration that is ignored goes from the end",
      "\"Time\": 0, \(full), \"EventDuration\": -1 ,",
      "\"Time\": 0, \(full) "),
    .transient(
      "a duration that is ignored does not bring an earlier one to life",
      "\"EventDuration\": 3, \"Time\": 0, \(full), \"EventDuration\": -1",
      "\"Time\": 0, \(full)"),
    .transient(
      "defaults behind a parameter in its layout",
      "\"Time\": 0, \"EventParameters\": [\n  {\"ParameterID\":\"AttackTime\" ,\"ParameterValue\": 0}\n]",
      "\"Time\": 0, \"EventParameters\": [\n  {\"ParameterID\":\"AttackTime\" ,\"ParameterValue\": 0},\n"
        + "  {\"ParameterID\":\"HapticIntensity\" ,\"ParameterValue\": 0.75},\n"
        + "  {\"ParameterID\":\"HapticSharpness\" ,\"ParameterValue\": 0.5}\n]"),
    .transient(
      "defaults of an event without parameters", "\"Time\": 0",
      "\"Time\": 0, \"EventParameters\": [{\"ParameterID\": \"HapticIntensity\", "
        + "\"ParameterValue\": 0.75}, {\"ParameterID\": \"HapticSharpness\", \"ParameterValue\": 0.5}]"
    ),
    .entries(
      "defaults by the type of the event",
      #"{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 1, "EventParameters": [ ]}}"#,
      #"{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 1, "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.6}, {"ParameterID": "HapticSharpness", "ParameterValue": 0.422601}]}}"#
    ),
    .transient(
      "earlier of repeated parameters",
      "\"Time\": 0, \"EventParameters\": [{\"ParameterID\": \"HapticIntensity\", \"ParameterValue\": 2}, "
        + "{\"ParameterID\": \"HapticIntensity\", \"ParameterValue\": 0}, "
        + full.dropFirst(20),
      "\"Time\": 0, \(full)"),
    .transient(
      "a name that a misspelled key was meant to give is not filled in",
      "\"time\": 1, \"eventParameters\": []", "\"time\": 1, \"eventParameters\": []"),
    .entries(
      "events in the order of time, parameters where they stand",
      """
      {"Event": {"Time": 3, "EventType": "HapticTransient", \(full)}},
        {"Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0, "Time": 2}},
      {"Comment": 1},  \(tap)  ,
      {"Event": {"Time": 1.0, "EventType": "HapticTransient", \(full)}}
      """,
      """
      \(tap),
        {"Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0, "Time": 2}},
      {"Comment": 1},  {"Event": {"Time": 1.0, "EventType": "HapticTransient", \(full)}}  ,
      {"Event": {"Time": 3, "EventType": "HapticTransient", \(full)}}
      """),
    .entries("envelope of a transient stays", envelope, envelope),
  ]

  private static let envelope = tap.replacing(
    "[", with: "[{\"ParameterID\": \"AttackTime\", \"ParameterValue\": 1}, ")

  static let controls: [Mending] = [
    .entries(
      "negative time of a parameter",
      #"{"Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0, "Time": -1e-3}}"#,
      #"{"Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0, "Time": 0}}"#),
    .entries(
      "curve without points",
      #"{"ParameterCurve": {"ParameterID": "AudioPanControl", "ParameterCurveControlPoints": []}}, "#
        + tap, tap),
    .entries(
      "curve without points beside an event in one entry",
      tap.dropLast()
        + #", "ParameterCurve": {"ParameterID": "AudioPanControl", "ParameterCurveControlPoints": []}}"#,
      tap),
    .points(
      "points out of order, one of them at a negative time",
      """
      {"Time": 0.5, "ParameterValue": 1},
        {"ParameterValue": 0.25, "Time": -0.10}, {"Time": 0.0, "ParameterValue": 0}
      """,
      """
      {"ParameterValue": 0.25, "Time": 0},
        {"Time": 0.0, "ParameterValue": 0}, {"Time": 0.5, "ParameterValue": 1}
      """),
  ]

  static let named: [Mending] = [
    .points(
      "absolute points beyond the pattern", by: [.rebase],
      #"{"Time": 0.25, "ParameterValue": 1}, {"Time": 0.30, "ParameterValue": 1}, {"Time": 2.6, "ParameterValue": 0}"#,
      #"{"Time": 0, "ParameterValue": 1}, {"Time": 0.05, "ParameterValue": 1}, {"Time": 2.35, "ParameterValue": 0}"#
    ),
    .points(
      "absolute points within the pattern", by: [.rebase],
      #"{"Time": 25e-2, "ParameterValue": 1}, {"Time": 0.5, "ParameterValue": 0}"#,
      #"{"Time": 0, "ParameterValue": 1}, {"Time": 0.25, "ParameterValue": 0}"#),
    .points(
      "a late first point that is not the curve's time stays", by: [.rebase],
      #"{"Time": 0.1, "ParameterValue": 1}"#, #"{"Time": 0.1, "ParameterValue": 1}"#),
    .entries(
      "case of keys, types and IDs", by: [.safe, .letterCase],
      #"{"event": {"TIME": 0, "eventType": "hapticTransient", "EventParameters": [{"ParameterID": "hapticintensity", "parameterValue": 1}, {"ParameterID": "HapticSharpness", "ParameterValue": 1}]}}"#,
      #"{"Event": {"Time": 0, "EventType": "HapticTransient", "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 1}, {"ParameterID": "HapticSharpness", "ParameterValue": 1}]}}"#
    ),
    .entries(
      "a key beside the right one stays", by: [.letterCase, .names],
      #"{"Event": {"time": 3, "Time": 0, "EventType": "HapticTransient"}}"#,
      #"{"Event": {"time": 3, "Time": 0, "EventType": "HapticTransient"}}"#),
    .entries(
      "an ID beside the right one stays", by: [.letterCase, .names],
      tap.replacing("HapticSharpness", with: "hapticIntensity"),
      tap.replacing("HapticSharpness", with: "hapticIntensity")),
    .entries(
      "misspelled IDs and keys", by: [.safe, .names],
      #"{"Event": {"Time": 0, "EventType": "HapticContinous", "Duration": 1, "EventParameter": [{"ParameterID": "HapticAttackTime", "ParameterValue": 1}, {"ParameterID": "HapticIntensity", "ParameterValue": 1}, {"ParameterID": "HapticSharpness", "ParameterValue": 1}]}}, {"Parameter": {"ParameterID": "HapticIntensity", "ParameterValue": 1}}"#,
      #"{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 1, "EventParameters": [{"ParameterID": "AttackTime", "ParameterValue": 1}, {"ParameterID": "HapticIntensity", "ParameterValue": 1}, {"ParameterID": "HapticSharpness", "ParameterValue": 1}]}}, {"Parameter": {"ParameterID": "HapticIntensityControl", "ParameterValue": 1}}"#
    ),
    .entries(
      "a key whose value does not fit stays", by: [.letterCase, .names],
      #"{"ParameterCurves": []}"#,
      #"{"ParameterCurves": []}"#),
    .entries(
      "a wrong name in another case stays where only misspellings are named", by: [.names],
      #"{"event": {}}"#, #"{"event": {}}"#),
    .entries(
      "values and durations that are limited", by: [.clamp],
      #"{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 175.3, "EventParameters": [{"ParameterID": "HapticSharpness", "ParameterValue": 2234}, {"ParameterID": "Sustained", "ParameterValue": 0.4}]}}, {"Parameter": {"ParameterID": "HapticSharpnessControl", "ParameterValue": -1.5}}"#,
      #"{"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 30, "EventParameters": [{"ParameterID": "HapticSharpness", "ParameterValue": 1}, {"ParameterID": "Sustained", "ParameterValue": 0}]}}, {"Parameter": {"ParameterID": "HapticSharpnessControl", "ParameterValue": -1}}"#
    ),
    .entries(
      "a name is right before its default is looked for", by: [.safe, .letterCase],
      tap.replacing("HapticIntensity", with: "hapticIntensity"), tap),
  ]

  @Test(arguments: layout + events + controls + named)
  func `a fix changes what it says and nothing else`(mending: Mending) throws {
    let fixed = try AHAPFixer.fixed(Array(mending.before.utf8), kinds: mending.kinds)
    #expect(String(decoding: fixed.bytes, as: UTF8.self) == mending.after)
    #expect(fixed.applied.isEmpty == (mending.before == mending.after))
    let again = try AHAPFixer.fixed(fixed.bytes, kinds: mending.kinds)
    #expect(again.applied.isEmpty && again.bytes == fixed.bytes)
  }

  @Test func `nothing is done where no kind is named`() throws {
    let bytes = Array("{\"Pattern\": [],}".utf8)
    #expect(try AHAPFixer.fixed(bytes, kinds: []).bytes == bytes)
    #expect(try AHAPFixer.fixes(for: bytes, kinds: []).isEmpty)
  }

  @Test func `where an event that cannot change places is in the way all stay in theirs`() throws {
    let both = """
      {"Event": {"Time": 1, "EventType": "HapticTransient", \(Mending.full)}, \
      "Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0}}
      """
    func tap(_ time: Int) -> String { Mending.tap.replacing("1,", with: "\(time),") }
    func applied(_ entries: String) throws -> [DiagnosticCode] {
      let text = "{\"Version\": 1.0, \"Pattern\": [\(entries)]}\n"
      return try AHAPFixer.fixed(Array(text.utf8)).applied.map(\.code)
    }
    #expect(try applied("\(tap(3)), \(both), \(tap(2))") == [])
    #expect(try applied("\(both), \(tap(3)), \(tap(2))") == [.eventsOutOfOrder])
  }
}

extension Mending {
  /// Puts a `Time` of 0 and what follows it before all else that comes after.
  fileprivate func fronted(_ members: String) -> Self {
    var mending = self
    mending.after = before.replacing("\"EventType\"", with: "\"Time\": 0, \"EventType\"")
    return mending
  }
}
