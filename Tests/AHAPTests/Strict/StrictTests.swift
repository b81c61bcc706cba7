// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// An oddity of published files, with a mark before the place that must be told.
struct Oddity: Sendable, CustomTestStringConvertible {
  var name: String
  /// The severity in Apple mode; an error there ends the reading.
  var apple: Severity
  /// The error number of Core Haptics.
  var appleError: Int?
  var finding: Finding

  init(
    _ name: String, _ code: DiagnosticCode, _ apple: Severity, appleError: Int? = nil,
    _ marked: String
  ) {
    self.name = name
    self.apple = apple
    self.appleError = appleError
    finding = Finding(code, marked)
  }

  var testDescription: String { name }

  fileprivate static let full = """
    [{"ParameterID": "HapticIntensity", "ParameterValue": 1},
    {"ParameterID": "HapticSharpness", "ParameterValue": 1}]
    """

  fileprivate static func file(_ entries: String) -> String {
    "{\"Version\": 1.0, \"Pattern\": [\n\(entries)]}\n"
  }

  fileprivate static func event(
    time: String = "0.0", type: String = "\"HapticTransient\"", _ members: String = ""
  ) -> String {
    "{\"Event\": {\"Time\": \(time), \"EventType\": \(type), \(members)\"EventParameters\":\n\(full)}}"
  }

  fileprivate static func parameters(_ list: String) -> String {
    file(
      "{\"Event\": {\"Time\": 0, \"EventType\": \"HapticTransient\", \"EventParameters\": [\n\(list)]}}"
    )
  }

  fileprivate static func points(_ list: String) -> String {
    file(
      """
      \(event("\"EventDuration\": 2, ")),
      {"ParameterCurve": {"ParameterID": "HapticSharpnessControl", "Time": 0.5,
      "ParameterCurveControlPoints": [
      \(list)]}}
      """)
  }
}

/// What real files hold that a strict reader must not let pass.
struct StrictTests {
  private static let seventeenPoints = (0..<17).map {
    "\($0 == 16 ? Finding.mark : ""){\"Time\": \($0), \"ParameterValue\": 0}"
  }.joined(separator: ",\n")

  private static let event = Oddity.event()

  static let layout = [
    Oddity("trailing comma in an array", .trailingComma, .note, Oddity.file("\(event)@@,")),
    Oddity(
      "trailing comma in an object", .trailingComma, .note,
      "{\"Version\": 1.0, \"Pattern\": [\(event)]@@,}\n"),
    Oddity("no Version", .versionMissing, .note, "@@{\"Pattern\": [\(event)]}\n"),
    Oddity(
      "Version an integer", .versionInteger, .note, "{\"Version\": @@1, \"Pattern\": [\(event)]}\n"),
    Oddity("Version 0", .versionUnusual, .note, "{\"Version\": @@0, \"Pattern\": [\(event)]}\n"),
    Oddity(
      "unknown Metadata key", .metadataKeyUnknown, .note,
      "{\"Version\": 1.0, \"Metadata\": {@@\"Author\": 1}, \"Pattern\": [\(event)]}\n"),
    Oddity(
      "ParameterCurves", .keyMisspelled, .warning,
      Oddity.file("\(event),\n{@@\"ParameterCurves\": {}}")),
    Oddity(
      "Events", .keyMisspelled, .warning,
      "{\"Version\": 1.0, @@\"Events\": [], \"Pattern\": [\(event)]}\n"),
    Oddity("fragment without Pattern", .patternMissing, .error, appleError: -4814, "@@\(event)\n"),
    Oddity(
      "broken JSON", .brokenJSON, .error, appleError: -4813, Oddity.file("\(event)\n@@\(event)")),
    // Not seen in any file so far, and asked for all the same.
    Oddity("byte order mark", .byteOrderMark, .note, "@@\u{FEFF}" + Oddity.file(event)),
    Oddity(
      "duplicate key", .duplicateKey, .warning, Oddity.file(Oddity.event("@@\"Time\": 1, "))),
    Oddity("comment", .brokenJSON, .error, appleError: -4813, Oddity.file("@@// tap\n\(event)")),
    Oddity(
      "not a number", .brokenJSON, .error, appleError: -4813,
      Oddity.file(Oddity.event(time: "@@NaN"))),
    Oddity(
      "number as a string", .eventFieldWrongType, .error, appleError: -4830,
      Oddity.file(Oddity.event(time: "@@\"1\""))),
  ]

  static let events = [
    Oddity(
      "events out of the order of time", .eventsOutOfOrder, .note,
      Oddity.file("\(Oddity.event(time: "1.5")),\n{@@" + event.dropFirst())),
    Oddity(
      "no intensity", .defaultUsed, .note,
      Oddity.file("{@@" + event.dropFirst().replacing("HapticIntensity", with: "AttackTime"))),
    Oddity(
      "no sharpness", .defaultUsed, .note,
      Oddity.file("{@@" + event.dropFirst().replacing("HapticSharpness", with: "AttackTime"))),
    Oddity(
      "sharpness out of range", .valueOutOfRange, .warning,
      Oddity.parameters("{\"ParameterID\": \"HapticSharpness\", \"ParameterValue\": @@2234}")),
    Oddity(
      "intensity out of range", .valueOutOfRange, .warning,
      Oddity.parameters("{\"ParameterValue\": @@4.64, \"ParameterID\": \"HapticIntensity\"}")),
    Oddity(
      "duration of a sound file", .durationOnAudioCustom, .note,
      Oddity.file(
        Oddity.event(
          type: "\"AudioCustom\"", "\"EventWaveformPath\": \"a.wav\", \"EventDuration\": @@1.5, "))),
    Oddity(
      "event over 30 s", .durationTooLong, .warning, appleError: -4823,
      Oddity.file(Oddity.event(type: "\"HapticContinuous\"", "\"EventDuration\": @@175.3, "))),
    Oddity(
      "pattern over 30 s", .patternLong, .note,
      "{\"Version\": 1.0,\n @@\"Pattern\": [\(Oddity.event(time: "220.7"))]}\n"),
    Oddity(
      "ID in the wrong case", .parameterIDMisspelled, .warning, appleError: -4820,
      Oddity.parameters("{\"ParameterID\": @@\"hapticIntensity\", \"ParameterValue\": 1}")),
    Oddity(
      "envelope ID with a prefix", .parameterIDMisspelled, .warning, appleError: -4820,
      Oddity.parameters("{\"ParameterID\": @@\"HapticDecayTime\", \"ParameterValue\": 1}")),
    Oddity(
      "unknown ID", .parameterIDUnknown, .warning, appleError: -4820,
      Oddity.parameters("{\"ParameterID\": @@\"Texture\", \"ParameterValue\": 1}")),
    Oddity(
      "event type in the wrong case", .eventTypeUnknown, .error, appleError: -4821,
      Oddity.file(Oddity.event(type: "@@\"hapticTransient\""))),
  ]

  static let curves = [
    Oddity(
      "absolute control points", .curvePointsAbsolute, .warning,
      Oddity.points(
        "@@{\"Time\": 0.5, \"ParameterValue\": 0},\n{\"Time\": 1.9, \"ParameterValue\": 1}")),
    Oddity(
      "control points that may be absolute", .curveFirstPointLate, .note,
      Oddity.points(
        "@@{\"Time\": 0.5, \"ParameterValue\": 0},\n{\"Time\": 0.9, \"ParameterValue\": 1}")),
    Oddity(
      "first point late", .curveFirstPointLate, .note,
      Oddity.points(
        "@@{\"Time\": 1e-4, \"ParameterValue\": 0},\n{\"Time\": 0.9, \"ParameterValue\": 1}")),
    Oddity(
      "curve value out of range", .valueOutOfRange, .warning,
      Oddity.points("{\"Time\": 0, \"ParameterValue\": @@-1.25}")),
    Oddity("more than 16 points", .curveTooManyPoints, .warning, Oddity.points(seventeenPoints)),
    Oddity(
      "one point only", .curveOnePoint, .note,
      Oddity.points("@@{\"Time\": 0, \"ParameterValue\": 0}")),
    Oddity(
      "two points at one time", .curveJump, .warning,
      Oddity.points(
        "{\"Time\": 0, \"ParameterValue\": 0},\n@@{\"Time\": 0, \"ParameterValue\": 1}")),
  ]

  @Test(arguments: layout + events + curves)
  func `an oddity of published files is an error where strictness is asked for`(
    oddity: Oddity
  ) throws {
    let finding = oddity.finding
    for mode in AHAPMode.allCases {
      let expected = mode == .strict ? .error : oddity.apple
      let found: [Diagnostic]
      do {
        let options = AHAPOptions(mode: mode)
        found = try AHAPReader.read(finding.bytes, options: options).diagnostics
      } catch {
        #expect(oddity.apple == .error, "\(error)")
        found = [error.diagnostic]
      }
      let own = found.filter { $0.code == finding.code }
      #expect(
        own.map { "\($0.severity) \($0.position)" } == [
          "\(expected) \(finding.line):\(finding.column)"
        ], "\(found)\n\(finding.marked)")
      #expect(finding.code.appleError == oddity.appleError)
    }
  }

  @Test func `in strict mode all but three findings are errors`() {
    let mild = DiagnosticCode.allCases.filter { $0.strictSeverity != .error && !$0.isAdvice }
    #expect(mild == [.envelopeOnTransient, .decayWhileSustained, .parameterOfOtherDomain])
    #expect(mild.allSatisfy { $0.strictSeverity == .warning })
  }
}
