extension DiagnosticCode {
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
  public var title: String { words.title }

  /// What the code means, in one sentence of Markdown.
  public var meaning: String { words.meaning }

  private var words: (title: String, meaning: String) {
    func words(_ title: String, _ meaning: String) -> (String, String) { (title, meaning) }
    return switch self {
    case .inputTooLarge: words("file too large", "The file has more bytes than the reader's limit.")
    case .brokenJSON:
      words("broken JSON", "The text is not JSON, even with trailing commas allowed.")
    case .notAnObject: words("not a dictionary", "The outermost value is not a JSON object.")
    case .patternMissing:
      words("no Pattern", "The file has no `Pattern`, so there is nothing to play.")
    case .patternNotAnArray:
      words("Pattern not an array", "`Pattern` is not a JSON array of entries.")
    case .tooManyEntries:
      words("too many entries", "`Pattern` has more entries than the reader's limit.")
    case .trailingComma:
      words(
        "trailing comma",
        "A comma stands before a closing bracket; Apple's reader allows it, strict JSON does not.")
    case .duplicateKey: words("duplicate key", "An object has a key twice; the last one counts.")
    case .byteOrderMark:
      words("byte order mark", "The text starts with a byte order mark, which is skipped.")
    case .noFinalNewline:
      words("no newline at the end", "The last line does not end with a line feed.")
    case .versionMissing: words("no Version", "`Version` is missing; 1.0 is assumed.")
    case .versionUnusual:
      words("odd Version", "`Version` is not the number 1.0, the only one that means anything.")
    case .versionInteger:
      words("integer Version", "`Version` is written as the integer 1, not as 1.0.")
    case .metadataKeyUnknown:
      words(
        "unknown Metadata key",
        "`Metadata` has a key other than `Project`, `Created` and `Description`.")
    case .keyIgnored: words("unknown key", "A key means nothing where it stands and is ignored.")
    case .keyMisspelled:
      words(
        "misspelled key",
        "An ignored key resembles a known one: the pattern plays differently from what was meant.")
    case .valueWrongType:
      words(
        "wrong type of an optional value",
        "An optional value has the wrong JSON type; its default is used.")
    case .flagAsNumber:
      words("flag written as a number", "A flag is written as 0 or 1, not as false or true.")
    case .entryNotAnObject:
      words("entry not a dictionary", "An entry of `Pattern` is not a JSON object.")
    case .entryAmbiguous:
      words(
        "entry without one content",
        "An entry holds none or several of `Event`, `Parameter` and `ParameterCurve`; each that it holds is read."
      )
    case .eventFieldMissing:
      words(
        "required event value missing",
        "An event lacks its `EventType`, a continuous event its `EventDuration`, or a sound its `EventWaveformPath`."
      )
    case .eventFieldWrongType:
      words(
        "required event value of the wrong type",
        "A required value of an event has the wrong JSON type.")
    case .eventTypeUnknown: words("unknown event type", "`EventType` is not one of the four types.")
    case .eventTimeMissing: words("event without Time", "An event lacks its `Time`; 0 is used.")
    case .eventTimeNegative: words("negative event time", "An event starts before its pattern.")
    case .durationNotPositive:
      words(
        "continuous event without length",
        "The `EventDuration` of a continuous event is 0 or negative.")
    case .durationIgnored:
      words(
        "duration ignored", "A negative duration, or a duration of 0 for a sound file, is ignored.")
    case .durationTooLong:
      words(
        "continuous event over 30 s",
        "A continuous event is longer than 30 s; it is limited to 30 s.")
    case .durationOnAudioCustom:
      words(
        "duration of a sound file",
        "An `AudioCustom` event has an `EventDuration`, which cuts the sound or pads it with silence."
      )
    case .parameterFieldMissing:
      words(
        "required parameter value missing",
        "A parameter, curve or control point lacks a required value.")
    case .parameterFieldWrongType:
      words(
        "required parameter value of the wrong type",
        "A required value of a parameter, curve or control point has the wrong JSON type.")
    case .parameterIDUnknown:
      words("unknown parameter ID", "A `ParameterID` is not known; what it belongs to is skipped.")
    case .parameterIDMisspelled:
      words(
        "misspelled parameter ID",
        "A `ParameterID` that is not known resembles a known one; what it belongs to is skipped.")
    case .parameterRepeated:
      words("parameter given twice", "An event has the same parameter twice; the last one counts.")
    case .valueOutOfRange:
      words("value out of range", "A value lies outside its range and is moved to the nearer end.")
    case .timeNegative:
      words(
        "negative time", "The time of a parameter, curve or control point is negative; 0 is used.")
    case .defaultUsed:
      words(
        "default used",
        "A haptic event leaves out its intensity or sharpness; the default of its type is used.")
    case .envelopeOnTransient:
      words(
        "envelope on a transient", "An envelope parameter has no effect on a `HapticTransient`.")
    case .decayWhileSustained:
      words("decay while sustained", "`DecayTime` has no effect while `Sustained` is 1.")
    case .parameterOfOtherDomain:
      words(
        "parameter without effect",
        "A haptic parameter stands on an audio event, or an audio parameter on a haptic event.")
    case .curveEmpty:
      words("curve without points", "A curve has no control points and changes nothing.")
    case .curvePointsOutOfOrder:
      words(
        "control points out of order",
        "Control points are not in the order of time; they are sorted.")
    case .curvePointsAbsolute:
      words(
        "control points look absolute",
        "The first point equals the curve's time and the last lies beyond the pattern: times counted from the pattern, not from the curve."
      )
    case .curveTooManyPoints:
      words(
        "more than 16 control points",
        "A curve has more points than the 16 that are known to be safe on a phone.")
    case .curveOnePoint:
      words("one control point", "A curve has a single point: a step whose value holds.")
    case .curveFirstPointLate:
      words(
        "late first control point",
        "The first point lies after the curve's time; until then what was in force holds.")
    case .curveJump:
      words(
        "two control points at one time",
        "Two points share one time: a jump, which phones may not play; a ramp of 1 ms is safe.")
    case .eventsOutOfOrder:
      words(
        "events out of order",
        "The events do not stand in the order of time; they are played by their times.")
    case .patternLong: words("pattern over 30 s", "The pattern is longer than 30 s.")
    case .patternEmpty:
      words(
        "no events", "The pattern has no events: it can be read, but a player has nothing to play.")
    case .weakFirstTap:
      words(
        "weak first tap",
        "The first tap of a quick row is weaker than the next and may not be felt; a primer helps.")
    case .soundApart:
      words(
        "sound and haptics apart",
        "A sound and the haptics that it belongs to start a little apart.")
    case .noHeadroom:
      words("no headroom", "A vibration is at full strength where a tap starts, and masks it.")
    case .effectLong: words("long effect", "The effect lasts longer than 30 s, and haptics tire.")
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
