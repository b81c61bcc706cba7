// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// A file with a mark before the place that a diagnostic must point at.
struct Finding: Sendable, CustomTestStringConvertible {
  static let mark = "@@"

  var code: DiagnosticCode
  var marked: String
  var used: String?
  var fix: String?
  var options: AHAPOptions
  var bytes: [UInt8]
  var line: Int
  var column: Int

  /// Takes a whole file.
  init(
    _ code: DiagnosticCode, _ marked: String, used: String? = nil, fix: String? = nil,
    options: AHAPOptions = AHAPOptions()
  ) {
    self.code = code
    self.marked = marked
    self.used = used
    self.fix = fix
    self.options = options
    var text = ""
    var rest = Substring(marked)
    while let first = rest.first, !rest.hasPrefix(Self.mark) {
      text.append(first)
      rest.removeFirst()
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    line = lines.count
    column = (lines.last?.count ?? 0) + 1
    if text.hasPrefix("\u{FEFF}") && line == 1 { column -= 1 }
    bytes = Array((text + rest.dropFirst(Self.mark.count)).utf8)
  }

  /// Takes the entries of a pattern beside a plain event.
  static func entry(
    _ code: DiagnosticCode, _ marked: String, used: String? = nil, fix: String? = nil
  ) -> Self {
    Self(
      code,
      """
      {
        "Version": 1.0,
        "Pattern": [
          {"Event": {"Time": 0.0, "EventType": "HapticContinuous", "EventDuration": 1.0,
            "EventParameters": [
              {"ParameterID": "HapticIntensity", "ParameterValue": 0.5},
              {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}},
          \(marked)
        ]
      }

      """, used: used, fix: fix)
  }

  /// Takes the parameters of an event beside intensity and sharpness.
  static func parameter(
    _ code: DiagnosticCode, _ marked: String, type: String = "HapticTransient",
    used: String? = nil, fix: String? = nil
  ) -> Self {
    entry(
      code,
      """
      {"Event": {"Time": 0.5, "EventType": "\(type)", "EventDuration": 0.5,
        "EventWaveformPath": "a.wav", "EventParameters": [
          {"ParameterID": "HapticIntensity", "ParameterValue": 0.5},
          {"ParameterID": "HapticSharpness", "ParameterValue": 0.5},
          \(marked)]}}
      """, used: used, fix: fix)
  }

  /// Takes the control points of an intensity curve at 0.25 s.
  static func points(
    _ code: DiagnosticCode, _ marked: String, used: String? = nil, fix: String? = nil
  ) -> Self {
    entry(
      code,
      """
      {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.25,
        "ParameterCurveControlPoints": [\(marked)]}}
      """, used: used, fix: fix)
  }

  var testDescription: String { "\(code.rawValue) \(code)" }
}

/// Every code is found, at its place.
struct DiagnosticTests {
  static let plain = """
    {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
      {"ParameterID": "HapticIntensity", "ParameterValue": 0.5},
      {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}
    """

  static let manyPoints = (0..<18).map {
    "\($0 == 16 ? Finding.mark : ""){\"Time\": 0.0\($0 + 10), \"ParameterValue\": 1}"
  }.joined(separator: ",\n")

  static let files: [Finding] = [
    Finding(
      .inputTooLarge, "@@{\"Version\": 1.0, \"Pattern\": []}\n",
      options: AHAPOptions(maximumBytes: 20)),
    Finding(.brokenJSON, "{\n  \"Version\": @@tru\n}\n"),
    Finding(.brokenJSON, "{\"Pattern\": [@@// none\n]}\n"),
    Finding(.brokenJSON, "@@"),
    Finding(.notAnObject, "\n@@[]\n"),
    Finding(.patternMissing, " @@{\"Version\": 1.0}\n"),
    Finding(.patternNotAnArray, "{\"Version\": 1.0, \"Pattern\": @@{}}\n"),
    Finding(
      .tooManyEntries, "{\"Version\": 1.0,\n@@\"Pattern\": [\(plain), \(plain)]}\n",
      options: AHAPOptions(maximumEntries: 1)),
    Finding(.trailingComma, "{\"Version\": 1.0,\n\"Pattern\": [\(plain)@@,\n]}\n"),
    Finding(.duplicateKey, "{\"Version\": 2, @@\"Version\": 1.0, \"Pattern\": [\(plain)]}\n"),
    Finding(.byteOrderMark, "@@\u{FEFF}{\"Version\": 1.0, \"Pattern\": [\(plain)]}\n"),
    Finding(
      .patternMissing, "{\"Version\": 1.0, @@\"Patern\": [\(plain)]}\n", fix: "Pattern"),
    Finding(.versionMissing, "\n@@{\"Pattern\": [\(plain)]}\n", used: "1.0", fix: "1.0"),
    Finding(.versionUnusual, "{\"Version\": @@2, \"Pattern\": [\(plain)]}\n", fix: "1.0"),
    Finding(
      .versionUnusual, "{\"Version\": @@\"1\", \"Pattern\": [\(plain)]}\n", used: "1.0", fix: "1.0"),
    Finding(.versionInteger, "{\"Version\": @@1, \"Pattern\": [\(plain)]}\n", fix: "1.0"),
    Finding(
      .metadataKeyUnknown,
      "{\"Version\": 1.0, \"Metadata\": {@@\"Author\": \"x\"}, \"Pattern\": [\(plain)]}\n"),
    Finding(
      .valueWrongType, "{\"Version\": 1.0, \"Metadata\": @@\"x\", \"Pattern\": [\(plain)]}\n"),
    Finding(.keyIgnored, "{\"Version\": 1.0, @@\"Colour\": 1, \"Pattern\": [\(plain)]}\n"),
    Finding(
      .keyMisspelled, "{\"Version\": 1.0, @@\"pattern\": 1, \"Pattern\": [\(plain)]}\n",
      fix: "Pattern"),
    Finding(.keyMisspelled, "{\"Version\": 1.0, @@\"Events\": [], \"Pattern\": [\(plain)]}\n"),
    Finding(.patternEmpty, "{\"Version\": 1.0,\n  @@\"Pattern\": []}\n"),
    Finding(
      .patternLong,
      "{\"Version\": 1.0,\n  @@\"Pattern\": [\(plain.replacing("0.0", with: "31.5"))]}\n"),
    Finding(
      .defaultUsed,
      "{\"Version\": 1.0, \"Pattern\": [{@@\"Event\": {\"Time\": 0, \"EventType\": \"HapticTransient\","
        + "\"EventParameters\": [{\"ParameterID\": \"HapticSharpness\", \"ParameterValue\": 1}]}}]}\n",
      used: "0.75"),
    Finding(
      .defaultUsed,
      "{\"Version\": 1.0, \"Pattern\": [{@@\"Event\": {\"Time\": 0, \"EventType\": \"HapticContinuous\","
        + "\"EventDuration\": 1, \"EventParameters\": ["
        + "{\"ParameterID\": \"HapticIntensity\", \"ParameterValue\": 1}]}}]}\n",
      used: "0.422601"),
  ]

  static let entries: [Finding] = [
    .entry(.entryNotAnObject, "@@7"),
    .entry(.entryAmbiguous, "@@{}"),
    .entry(
      .entryAmbiguous,
      #"@@{"Event": {"Time": 9, "EventType": "HapticTransient"}, "Parameter": {"ParameterID": "AudioPanControl", "ParameterValue": 0}}"#
    ),
    .entry(.keyMisspelled, #"{@@"ParameterCurves": {}}"#, fix: "ParameterCurve"),
    .entry(.keyMisspelled, #"{@@"Events": {}}"#, fix: "Event"),
    .entry(.keyIgnored, #"{@@"Comment": "hi"}"#),
    .entry(.eventFieldWrongType, #"{"Event": @@[]}"#),
    .entry(.eventFieldMissing, #"{@@"Event": {"Time": 1}}"#),
    .entry(
      .eventFieldMissing, #"{"Event": {"Time": 1, @@"EventTyp": "HapticTransient"}}"#,
      fix: "EventType"),
    .entry(
      .eventFieldMissing,
      #"{"Event": {"Time": 1, "EventType": "HapticContinuous", @@"Duration": 1}}"#,
      fix: "EventDuration"),
    .entry(
      .parameterFieldMissing,
      #"{"Parameter": {"ParameterID": "AudioPanControl", @@"ParameterVaue": 1}}"#,
      fix: "ParameterValue"),
    .entry(.eventFieldMissing, #"{@@"Event": {"Time": 1, "EventType": "HapticContinuous"}}"#),
    .entry(.eventFieldMissing, #"{@@"Event": {"Time": 1, "EventType": "AudioContinuous"}}"#),
    .entry(.eventFieldMissing, #"{@@"Event": {"Time": 1, "EventType": "AudioCustom"}}"#),
    .entry(.eventFieldWrongType, #"{"Event": {"Time": 1, "EventType": @@1}}"#),
    .entry(.eventFieldWrongType, #"{"Event": {"Time": @@"1", "EventType": "HapticTransient"}}"#),
    .entry(
      .eventFieldWrongType,
      #"{"Event": {"Time": 1, "EventType": "HapticContinuous", "EventDuration": @@null}}"#),
    .entry(
      .eventFieldWrongType,
      #"{"Event": {"Time": 1, "EventType": "AudioCustom", "EventWaveformPath": @@5}}"#),
    .entry(
      .eventTypeUnknown, #"{"Event": {"Time": 1, "EventType": @@"hapticTransient"}}"#,
      fix: "HapticTransient"),
    .entry(.eventTypeUnknown, #"{"Event": {"Time": 1, "EventType": @@"Buzz"}}"#),
    .entry(.eventTimeMissing, #"{@@"Event": {"EventType": "HapticTransient"}}"#, used: "0"),
    .entry(.eventTimeNegative, #"{"Event": {"Time": @@-0.1, "EventType": "HapticTransient"}}"#),
    .entry(
      .durationNotPositive,
      #"{"Event": {"Time": 1, "EventType": "HapticContinuous", "EventDuration": @@0}}"#),
    .entry(
      .durationIgnored,
      #"{"Event": {"Time": 1, "EventType": "HapticTransient", "EventDuration": @@-1}}"#,
      used: "none"),
    .entry(
      .durationIgnored,
      #"{"Event": {"Time": 1, "EventType": "AudioCustom", "EventWaveformPath": "a", "EventDuration": @@0}}"#,
      used: "none"),
    .entry(
      .durationTooLong,
      #"{"Event": {"Time": 1, "EventType": "HapticContinuous", "EventDuration": @@175.3}}"#,
      used: "30"),
    .entry(
      .durationOnAudioCustom,
      #"{"Event": {"Time": 1, "EventType": "AudioCustom", "EventWaveformPath": "a", "EventDuration": @@2}}"#
    ),
    .entry(
      .valueWrongType,
      #"{"Event": {"Time": 1, "EventType": "HapticTransient", "EventDuration": @@"1"}}"#),
    .entry(
      .valueWrongType,
      #"{"Event": {"Time": 1, "EventType": "HapticTransient", "EventParameters": @@{}}}"#,
      used: "defaults"),
    .entry(
      .valueWrongType,
      #"{"Event": {"Time": 1, "EventType": "AudioCustom", "EventWaveformPath": "a", "EventWaveformLoopEnabled": @@"yes"}}"#,
      used: "false"),
    .entry(
      .flagAsNumber,
      #"{"Event": {"Time": 1, "EventType": "AudioCustom", "EventWaveformPath": "a", "EventWaveformUseVolumeEnvelope": @@0}}"#,
      used: "false", fix: "false"),
    .entry(
      .keyMisspelled,
      #"{"Event": {"Time": 1, "EventType": "HapticTransient", @@"Duration": 1}}"#,
      fix: "EventDuration"),
    .entry(
      .keyMisspelled,
      #"{"Event": {@@"time": 1, "EventType": "HapticTransient"}}"#, fix: "Time"),
    .entry(
      .eventsOutOfOrder,
      #"{"Event": {"Time": 2, "EventType": "HapticTransient"}}, {@@"Event": {"Time": 1, "EventType": "HapticTransient"}}"#
    ),
    .entry(.parameterFieldWrongType, #"{"Parameter": @@1}"#),
    .entry(
      .valueOutOfRange,
      #"{"Parameter": {"ParameterID": "HapticIntensityControl", "ParameterValue": @@4.64}}"#,
      used: "1", fix: "1"),
    .entry(
      .timeNegative,
      #"{"Parameter": {"ParameterID": "HapticIntensityControl", "ParameterValue": 1, "Time": @@-1}}"#,
      used: "0"),
    .entry(
      .parameterIDUnknown, #"{"Parameter": {"ParameterID": @@"Loudness", "ParameterValue": 1}}"#),
    .entry(
      .parameterIDMisspelled,
      #"{"Parameter": {"ParameterID": @@"HapticIntensity", "ParameterValue": 1}}"#,
      fix: "HapticIntensityControl"),
    .entry(.parameterFieldMissing, #"{@@"Parameter": {"ParameterValue": 1}}"#),
    .entry(.parameterFieldMissing, #"{@@"Parameter": {"ParameterID": "AudioPanControl"}}"#),
    .entry(.parameterFieldMissing, #"{@@"ParameterCurve": {"ParameterID": "AudioPanControl"}}"#),
    .entry(.parameterFieldMissing, #"{@@"ParameterCurve": {"ParameterCurveControlPoints": []}}"#),
  ]

  static let details: [Finding] = [
    .parameter(.parameterFieldMissing, #"@@{"ParameterID": "AttackTime"}"#),
    .parameter(.parameterFieldWrongType, "@@null"),
    .parameter(
      .parameterFieldWrongType, #"{"ParameterID": "AttackTime", "ParameterValue": @@"0.5"}"#),
    .parameter(.parameterIDUnknown, #"{"ParameterID": @@"Warmth", "ParameterValue": 1}"#),
    .parameter(
      .parameterIDMisspelled, #"{"ParameterID": @@"hapticintensity", "ParameterValue": 1}"#,
      fix: "HapticIntensity"),
    .parameter(
      .parameterIDMisspelled, #"{"ParameterID": @@"HapticAttackTime", "ParameterValue": 1}"#,
      fix: "AttackTime"),
    .parameter(
      .parameterRepeated, #"{"ParameterID": @@"HapticIntensity", "ParameterValue": 1}"#),
    .parameter(
      .valueOutOfRange, #"{"ParameterID": "ReleaseTime", "ParameterValue": @@1.5}"#,
      type: "HapticContinuous", used: "1", fix: "1"),
    .parameter(
      .valueOutOfRange, #"{"ParameterID": "Sustained", "ParameterValue": @@0.4}"#,
      type: "HapticContinuous", used: "0", fix: "0"),
    .parameter(.envelopeOnTransient, #"{"ParameterID": @@"AttackTime", "ParameterValue": 0.5}"#),
    .parameter(
      .decayWhileSustained, #"{"ParameterID": @@"DecayTime", "ParameterValue": 0.5}"#,
      type: "HapticContinuous"),
    .parameter(
      .parameterOfOtherDomain, #"{"ParameterID": @@"AudioPan", "ParameterValue": 0.5}"#),
    .points(.curveEmpty, "").withMark(before: "[]"),
    .points(.curveOnePoint, #"@@{"Time": 0, "ParameterValue": 1}"#),
    .points(.curveTooManyPoints, manyPoints),
    .points(
      .curvePointsOutOfOrder,
      #"{"Time": 0, "ParameterValue": 1}, {"Time": 0.2, "ParameterValue": 1}, @@{"Time": 0.1, "ParameterValue": 0}"#
    ),
    .points(
      .curveJump,
      #"{"Time": 0, "ParameterValue": 1}, {"Time": 0.2, "ParameterValue": 1}, @@{"Time": 0.2, "ParameterValue": 0}"#
    ),
    .points(
      .curveFirstPointLate,
      #"@@{"Time": 0.1, "ParameterValue": 1}, {"Time": 0.2, "ParameterValue": 0}"#),
    .points(
      .curvePointsAbsolute,
      #"@@{"Time": 0.25, "ParameterValue": 1}, {"Time": 1.0, "ParameterValue": 0}"#),
    .points(
      .timeNegative, #"{"Time": @@-1, "ParameterValue": 1}, {"Time": 1, "ParameterValue": 1}"#,
      used: "0"),
    .points(.parameterFieldMissing, #"@@{"ParameterValue": 1}"#),
    .points(.parameterFieldWrongType, "@@[0, 1]"),
    .points(
      .valueOutOfRange, #"{"Time": 0, "ParameterValue": @@-0.5}"#, used: "0", fix: "0"),
  ]

  @Test(arguments: files + entries + details)
  func `a finding is reported at its place in both modes`(finding: Finding) throws {
    for mode in AHAPMode.allCases {
      var options = finding.options
      options.mode = mode
      let found: [Diagnostic]
      do {
        found = try AHAPReader.read(finding.bytes, options: options).diagnostics
      } catch {
        #expect(finding.code.defaultSeverity == .error)
        found = [error.diagnostic]
      }
      let match = try #require(
        found.first { $0.code == finding.code }, "only \(found.map(\.code)) in \(mode) mode")
      #expect(match.position.line == finding.line, "\(match.message)")
      #expect(match.position.column == finding.column, "\(match.message)")
      #expect(match.severity == finding.code.severity(in: mode))
      #expect(match.used == finding.used && match.fix == finding.fix, "\(match)")
      #expect(!match.message.contains("\n") && !match.message.hasSuffix("."))
    }
  }

  @Test func `every code of the reader has an example, and no code of advice`() {
    let shown = Set((Self.files + Self.entries + Self.details).map(\.code))
    #expect(DiagnosticCode.allCases.filter { $0.isAdvice == shown.contains($0) } == [])
  }

  @Test func `a plain file has nothing to report`() throws {
    let text = "{\"Version\": 1.0, \"Pattern\": [\(Self.plain)]}\n"
    for mode in AHAPMode.allCases {
      let document = try AHAPReader.read(Array(text.utf8), options: AHAPOptions(mode: mode))
      #expect(document.diagnostics == [])
      #expect(document.worstSeverity == nil)
    }
  }

  @Test func `diagnostics of one code are kept up to the limit and counted beyond`() throws {
    let text = "{\"Pattern\": [\(Array(repeating: "{}", count: 50).joined(separator: ","))]}"
    let document = try AHAPReader.read(
      Array(text.utf8), options: AHAPOptions(diagnosticsPerCode: 20))
    #expect(document.diagnostics.count { $0.code == .entryAmbiguous } == 20)
    #expect(document.omittedDiagnostics == 30)
  }

  @Test func `codes are numbered in order and the table lists them all`() {
    let advice = DiagnosticCode.allCases.filter(\.isAdvice)
    #expect(advice.enumerated().allSatisfy { $1.rawValue == "AHAP\(101 + $0)" })
    #expect(DiagnosticCode.allCases.suffix(advice.count) == advice[...])
    for (index, code) in DiagnosticCode.allCases.enumerated() {
      // AHAP010 stood for what is no finding any more, and stays free.
      let digits = String(index < 9 ? index + 1 : index + 2)
      let number = String(repeating: "0", count: 3 - digits.count) + digits
      #expect(code.isAdvice || code.rawValue == "AHAP" + number)
      #expect(code.strictSeverity >= code.defaultSeverity)
      #expect(code.meaning.hasSuffix(".") && !code.title.isEmpty)
    }
    let lines = DiagnosticCode.markdownTable.split(separator: "\n")
    #expect(lines.count == DiagnosticCode.allCases.count + 2)
    #expect(lines[2].hasPrefix("| AHAP001 | file too large | error | error | -4813 |"))
  }
}

extension Finding {
  /// Gives the same file with the mark before a part of it.
  fileprivate func withMark(before part: String) -> Self {
    Self(
      code, marked.replacing(part, with: Self.mark + part), used: used, fix: fix, options: options)
  }
}
