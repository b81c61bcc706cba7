// SPDX-License-Identifier: Apache-2.0

/// What can be found in a file; the raw values are stable and are printed with each diagnostic.
///
/// Up to `AHAP099` the codes are the reader's; those from `AHAP101` are advice on the design. `AHAP010` is
/// free: it stood for a last line without a line feed, which is a matter of the canonical form.
/// ``meaning`` says what each stands for.
public enum DiagnosticCode: String, Sendable, CaseIterable {
  case inputTooLarge = "AHAP001"
  case brokenJSON = "AHAP002"
  case notAnObject = "AHAP003"
  case patternMissing = "AHAP004"
  case patternNotAnArray = "AHAP005"
  case tooManyEntries = "AHAP006"
  case trailingComma = "AHAP007"
  case duplicateKey = "AHAP008"
  case byteOrderMark = "AHAP009"
  case versionMissing = "AHAP011"
  case versionUnusual = "AHAP012"
  case versionInteger = "AHAP013"
  case metadataKeyUnknown = "AHAP014"
  case keyIgnored = "AHAP015"
  case keyMisspelled = "AHAP016"
  case valueWrongType = "AHAP017"
  case flagAsNumber = "AHAP018"
  case entryNotAnObject = "AHAP019"
  case entryAmbiguous = "AHAP020"
  case eventFieldMissing = "AHAP021"
  case eventFieldWrongType = "AHAP022"
  case eventTypeUnknown = "AHAP023"
  case eventTimeMissing = "AHAP024"
  case eventTimeNegative = "AHAP025"
  case durationNotPositive = "AHAP026"
  case durationIgnored = "AHAP027"
  case durationTooLong = "AHAP028"
  case durationOnAudioCustom = "AHAP029"
  case parameterFieldMissing = "AHAP030"
  case parameterFieldWrongType = "AHAP031"
  case parameterIDUnknown = "AHAP032"
  case parameterIDMisspelled = "AHAP033"
  case parameterRepeated = "AHAP034"
  case valueOutOfRange = "AHAP035"
  case timeNegative = "AHAP036"
  case defaultUsed = "AHAP037"
  case envelopeOnTransient = "AHAP038"
  case decayWhileSustained = "AHAP039"
  case parameterOfOtherDomain = "AHAP040"
  case curveEmpty = "AHAP041"
  case curvePointsOutOfOrder = "AHAP042"
  case curvePointsAbsolute = "AHAP043"
  case curveTooManyPoints = "AHAP044"
  case curveOnePoint = "AHAP045"
  case curveFirstPointLate = "AHAP046"
  case curveJump = "AHAP047"
  case eventsOutOfOrder = "AHAP048"
  case patternLong = "AHAP049"
  case patternEmpty = "AHAP050"

  case weakFirstTap = "AHAP101"
  case soundApart = "AHAP102"
  case noHeadroom = "AHAP103"
  case effectLong = "AHAP104"

  /// Whether the code is advice on the design, given only to those who ask for it.
  public var isAdvice: Bool {
    switch self {
    case .weakFirstTap, .soundApart, .noHeadroom, .effectLong: true
    default: false
    }
  }
}

/// What a fix may change; the raw values are the words that a user names.
public enum FixKind: String, Sendable, CaseIterable {
  /// Nothing that is felt: the text says what is used anyway, or a name is put right without which
  /// nothing is played.
  case safe
  /// Control points that look absolute are counted from their curve.
  case rebase
  /// IDs and optional keys in the wrong case are written as they are known.
  case letterCase = "case"
  /// Misspelled IDs and optional keys with one likely meaning are written as they are known.
  case names
  /// Values and durations beyond their limits are written as they are used.
  case clamp

  /// Whether what is felt must be the same after a fix of the kind.
  public var keepsWhatIsFelt: Bool { self == .safe || self == .clamp }
}

extension DiagnosticCode {
  /// The kinds of fixes that there can be for the finding; empty where a person must decide.
  ///
  /// Of several kinds each mends another case of the finding. Single findings may have no fix, such
  /// as a wrong name that resembles two right ones.
  public var fixKinds: [FixKind] {
    switch self {
    case .patternMissing, .trailingComma, .duplicateKey, .byteOrderMark, .versionMissing,
      .versionUnusual, .versionInteger, .flagAsNumber, .entryAmbiguous, .eventFieldMissing,
      .eventTypeUnknown, .eventTimeMissing, .durationIgnored, .parameterFieldMissing,
      .parameterRepeated, .timeNegative, .defaultUsed, .curveEmpty, .curvePointsOutOfOrder,
      .eventsOutOfOrder:
      [.safe]
    case .keyMisspelled, .parameterIDMisspelled: [.letterCase, .names]
    case .curvePointsAbsolute, .curveFirstPointLate: [.rebase]
    case .durationTooLong, .valueOutOfRange: [.clamp]
    default: []
    }
  }

  /// The severity in Apple mode.
  public var defaultSeverity: Severity {
    switch self {
    case .inputTooLarge, .brokenJSON, .notAnObject, .patternMissing, .patternNotAnArray,
      .tooManyEntries, .entryNotAnObject, .eventFieldMissing, .eventFieldWrongType,
      .eventTypeUnknown, .eventTimeNegative, .durationNotPositive, .parameterFieldMissing,
      .parameterFieldWrongType:
      .error
    case .duplicateKey, .keyMisspelled, .valueWrongType, .entryAmbiguous, .eventTimeMissing,
      .durationIgnored, .durationTooLong, .parameterIDUnknown, .parameterIDMisspelled,
      .parameterRepeated, .valueOutOfRange, .timeNegative, .curveEmpty, .curvePointsOutOfOrder,
      .curvePointsAbsolute, .curveTooManyPoints, .curveJump, .patternEmpty:
      .warning
    default: .note
    }
  }

  /// The severity in strict mode.
  public var strictSeverity: Severity {
    switch self {
    case .envelopeOnTransient, .decayWhileSustained, .parameterOfOtherDomain: .warning
    default: isAdvice ? .note : .error
    }
  }

  /// The severity in a mode.
  public func severity(in mode: AHAPMode) -> Severity {
    mode == .apple ? defaultSeverity : strictSeverity
  }

  /// The error number of Core Haptics that stands for the same fault.
  public var appleError: Int? {
    switch self {
    case .inputTooLarge, .brokenJSON, .tooManyEntries: -4813
    case .notAnObject, .patternMissing, .patternNotAnArray, .entryNotAnObject: -4814
    case .parameterIDUnknown, .parameterIDMisspelled: -4820
    case .eventTypeUnknown: -4821
    case .eventTimeNegative: -4822
    case .durationNotPositive, .durationTooLong: -4823
    case .eventFieldMissing, .eventFieldWrongType: -4830
    case .parameterFieldMissing, .parameterFieldWrongType: -4831
    case .timeNegative: -4840
    default: nil
    }
  }

  /// A short name without its circumstances.
  public var title: String { String(words.prefix { $0 != ":" }) }

  /// What the code means, in one sentence of Markdown.
  public var meaning: String { String(words.drop { $0 != ":" }.dropFirst(2)) }

  /// The title and, behind a colon, the meaning.
  private var words: String {
    switch self {
    case .inputTooLarge: "file too large: The file has more bytes than the reader's limit."
    case .brokenJSON: "broken JSON: The text is not JSON, even with trailing commas allowed."
    case .notAnObject: "not a dictionary: The outermost value is not a JSON object."
    case .patternMissing: "no Pattern: The file has no `Pattern`, so there is nothing to play."
    case .patternNotAnArray: "Pattern not an array: `Pattern` is not a JSON array of entries."
    case .tooManyEntries: "too many entries: `Pattern` has more entries than the reader's limit."
    case .trailingComma:
      "trailing comma: A comma stands before a closing bracket; Apple's reader allows it, strict "
        + "JSON does not."
    case .duplicateKey: "duplicate key: An object has a key twice; the last one counts."
    case .byteOrderMark:
      "byte order mark: The text starts with a byte order mark, which is skipped."
    case .versionMissing: "no Version: `Version` is missing; 1.0 is assumed."
    case .versionUnusual:
      "odd Version: `Version` is not the number 1.0, the only one that means anything."
    case .versionInteger: "integer Version: `Version` is written as the integer 1, not as 1.0."
    case .metadataKeyUnknown:
      "unknown Metadata key: `Metadata` has a key other than `Project`, `Created` and "
        + "`Description`."
    case .keyIgnored: "unknown key: A key means nothing where it stands and is ignored."
    case .keyMisspelled:
      "misspelled key: An ignored key resembles a known one: the pattern plays differently from "
        + "what was meant."
    case .valueWrongType:
      "wrong type of an optional value: An optional value has the wrong JSON type; its default "
        + "is used."
    case .flagAsNumber:
      "flag written as a number: A flag is written as 0 or 1, not as false or true."
    case .entryNotAnObject: "entry not a dictionary: An entry of `Pattern` is not a JSON object."
    case .entryAmbiguous:
      "entry without one content: An entry holds none or several of `Event`, `Parameter` and "
        + "`ParameterCurve`; each that it holds is read."
    case .eventFieldMissing:
      "required event value missing: An event lacks its `EventType`, a continuous event its "
        + "`EventDuration`, or a sound its `EventWaveformPath`."
    case .eventFieldWrongType:
      "required event value of the wrong type: A required value of an event has the wrong JSON "
        + "type."
    case .eventTypeUnknown: "unknown event type: `EventType` is not one of the four types."
    case .eventTimeMissing: "event without Time: An event lacks its `Time`; 0 is used."
    case .eventTimeNegative: "negative event time: An event starts before its pattern."
    case .durationNotPositive:
      "continuous event without length: The `EventDuration` of a continuous event is 0 or negative."
    case .durationIgnored:
      "duration ignored: A negative duration, or a duration of 0 for a sound file, is ignored."
    case .durationTooLong:
      "continuous event over 30 s: A continuous event is longer than 30 s; it is limited to 30 s."
    case .durationOnAudioCustom:
      "duration of a sound file: An `AudioCustom` event has an `EventDuration`, which cuts the "
        + "sound or pads it with silence."
    case .parameterFieldMissing:
      "required parameter value missing: A parameter, curve or control point lacks a required "
        + "value."
    case .parameterFieldWrongType:
      "required parameter value of the wrong type: A required value of a parameter, curve or "
        + "control point has the wrong JSON type."
    case .parameterIDUnknown:
      "unknown parameter ID: A `ParameterID` is not known; what it belongs to is skipped."
    case .parameterIDMisspelled:
      "misspelled parameter ID: A `ParameterID` that is not known resembles a known one; what it "
        + "belongs to is skipped."
    case .parameterRepeated:
      "parameter given twice: An event has the same parameter twice; the last one counts."
    case .valueOutOfRange:
      "value out of range: A value lies outside its range and is moved to the nearer end."
    case .timeNegative:
      "negative time: The time of a parameter, curve or control point is negative; 0 is used."
    case .defaultUsed:
      "default used: A haptic event leaves out its intensity or sharpness; the default of its "
        + "type is used."
    case .envelopeOnTransient:
      "envelope on a transient: An envelope parameter has no effect on a `HapticTransient`."
    case .decayWhileSustained:
      "decay while sustained: `DecayTime` has no effect while `Sustained` is 1."
    case .parameterOfOtherDomain:
      "parameter without effect: A haptic parameter stands on an audio event, or an audio "
        + "parameter on a haptic event."
    case .curveEmpty: "curve without points: A curve has no control points and changes nothing."
    case .curvePointsOutOfOrder:
      "control points out of order: Control points are not in the order of time; they are sorted."
    case .curvePointsAbsolute:
      "control points look absolute: The first point equals the curve's time and the last lies "
        + "beyond the pattern: times counted from the pattern, not from the curve."
    case .curveTooManyPoints:
      "more than 16 control points: A curve has more points than the 16 that are known to be "
        + "safe on a phone."
    case .curveOnePoint: "one control point: A curve has a single point: a step whose value holds."
    case .curveFirstPointLate:
      "late first control point: The first point lies after the curve's time; until then what "
        + "was in force holds."
    case .curveJump:
      "two control points at one time: Two points share one time: a jump, which phones may not "
        + "play; a ramp of 1 ms is safe."
    case .eventsOutOfOrder:
      "events out of order: The events do not stand in the order of time; they are played by "
        + "their times."
    case .patternLong: "pattern over 30 s: The pattern is longer than 30 s."
    case .patternEmpty:
      "no events: The pattern has no events: it can be read, but a player has nothing to play."
    case .weakFirstTap:
      "weak first tap: The first tap of a quick row is weaker than the next and may not be felt; "
        + "a primer helps."
    case .soundApart:
      "sound and haptics apart: A sound and the haptics that it belongs to start a little apart."
    case .noHeadroom:
      "no headroom: A vibration is at full strength where a tap starts, and masks it."
    case .effectLong: "long effect: The effect lasts longer than 30 s, and haptics tire."
    }
  }

  /// All codes as a Markdown table, for the documentation.
  ///
  /// The severity of advice is `advice`: it is a note in both modes, and given only when asked for.
  public static var markdownTable: String {
    var lines = [
      "| code | title | severity | strict | Apple | fix | meaning |",
      "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for code in allCases {
      let number = code.appleError.map(String.init) ?? ""
      let severity = code.isAdvice ? "advice" : code.defaultSeverity.rawValue
      let strict = code.isAdvice ? "advice" : code.strictSeverity.rawValue
      let fixes = code.fixKinds.map(\.rawValue).joined(separator: ", ")
      lines.append(
        "| \(code.rawValue) | \(code.title) | \(severity) | \(strict) | \(number) | \(fixes) "
          + "| \(code.meaning) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
