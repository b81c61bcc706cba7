extension DiagnosticCode {
  private struct Row {
    var apple: Severity
    var strict: Severity
    var appleError: Int?
    var title: String
    var meaning: String

    init(
      _ apple: Severity, _ strict: Severity, _ appleError: Int?, _ title: String, _ meaning: String
    ) {
      self.apple = apple
      self.strict = strict
      self.appleError = appleError
      self.title = title
      self.meaning = meaning
    }
  }

  private var row: Row {
    switch self {
    case .inputTooLarge:
      Row(
        .error, .error, -4813, "file too large",
        "The file has more bytes than the reader's limit.")
    case .brokenJSON:
      Row(
        .error, .error, -4813, "broken JSON",
        "The text is not JSON, even with trailing commas allowed.")
    case .notAnObject:
      Row(
        .error, .error, -4814, "not a dictionary",
        "The outermost value is not a JSON object.")
    case .patternMissing:
      Row(
        .error, .error, -4814, "no Pattern",
        "The file has no `Pattern`, so there is nothing to play.")
    case .patternNotAnArray:
      Row(
        .error, .error, -4814, "Pattern not an array",
        "`Pattern` is not a JSON array of entries.")
    case .tooManyEntries:
      Row(
        .error, .error, -4813, "too many entries",
        "`Pattern` has more entries than the reader's limit.")
    case .trailingComma:
      Row(
        .note, .error, nil, "trailing comma",
        "A comma stands before a closing bracket; Apple's reader allows it, strict JSON does not.")
    case .duplicateKey:
      Row(
        .warning, .error, nil, "duplicate key",
        "An object has a key twice; the last one counts.")
    case .byteOrderMark:
      Row(
        .note, .error, nil, "byte order mark",
        "The text starts with a byte order mark, which is skipped.")
    case .noFinalNewline:
      Row(
        .note, .error, nil, "no newline at the end",
        "The last line does not end with a line feed.")
    case .versionMissing:
      Row(
        .note, .error, nil, "no Version",
        "`Version` is missing; 1.0 is assumed.")
    case .versionUnusual:
      Row(
        .note, .error, nil, "odd Version",
        "`Version` is not the number 1.0, the only one that means anything.")
    case .versionInteger:
      Row(
        .note, .error, nil, "integer Version",
        "`Version` is written as the integer 1, not as 1.0.")
    case .metadataKeyUnknown:
      Row(
        .note, .error, nil, "unknown Metadata key",
        "`Metadata` has a key other than `Project`, `Created` and `Description`.")
    case .keyIgnored:
      Row(
        .note, .error, nil, "unknown key",
        "A key means nothing where it stands and is ignored.")
    case .keyMisspelled:
      Row(
        .warning, .error, nil, "misspelled key",
        "An ignored key resembles a known one: the pattern plays differently from what was meant.")
    case .valueWrongType:
      Row(
        .warning, .error, nil, "wrong type of an optional value",
        "An optional value has the wrong JSON type; its default is used.")
    case .flagAsNumber:
      Row(
        .note, .error, nil, "flag written as a number",
        "A flag is written as 0 or 1, not as false or true.")
    case .entryNotAnObject:
      Row(
        .error, .error, -4814, "entry not a dictionary",
        "An entry of `Pattern` is not a JSON object.")
    case .entryAmbiguous:
      Row(
        .warning, .error, nil, "entry without one content",
        "An entry holds none or several of `Event`, `Parameter` and `ParameterCurve`; each that it holds is read."
      )
    case .eventFieldMissing:
      Row(
        .error, .error, -4830, "required event value missing",
        "An event lacks its `EventType`, a continuous event its `EventDuration`, or a sound its `EventWaveformPath`."
      )
    case .eventFieldWrongType:
      Row(
        .error, .error, -4830, "required event value of the wrong type",
        "A required value of an event has the wrong JSON type.")
    case .eventTypeUnknown:
      Row(
        .error, .error, -4821, "unknown event type",
        "`EventType` is not one of the four types.")
    case .eventTimeMissing:
      Row(
        .warning, .error, nil, "event without Time",
        "An event lacks its `Time`; 0 is used.")
    case .eventTimeNegative:
      Row(
        .error, .error, -4822, "negative event time",
        "An event starts before its pattern.")
    case .durationNotPositive:
      Row(
        .error, .error, -4823, "continuous event without length",
        "The `EventDuration` of a continuous event is 0 or negative.")
    case .durationIgnored:
      Row(
        .warning, .error, nil, "duration ignored",
        "A negative duration, or a duration of 0 for a sound file, is ignored.")
    case .durationTooLong:
      Row(
        .warning, .error, -4823, "continuous event over 30 s",
        "A continuous event is longer than 30 s; it is limited to 30 s.")
    case .durationOnAudioCustom:
      Row(
        .note, .error, nil, "duration of a sound file",
        "An `AudioCustom` event has an `EventDuration`, which cuts the sound or pads it with silence."
      )
    case .parameterFieldMissing:
      Row(
        .error, .error, -4831, "required parameter value missing",
        "A parameter, curve or control point lacks a required value.")
    case .parameterFieldWrongType:
      Row(
        .error, .error, -4831, "required parameter value of the wrong type",
        "A required value of a parameter, curve or control point has the wrong JSON type.")
    case .parameterIDUnknown:
      Row(
        .warning, .error, -4820, "unknown parameter ID",
        "A `ParameterID` is not known; what it belongs to is skipped.")
    case .parameterIDMisspelled:
      Row(
        .warning, .error, -4820, "misspelled parameter ID",
        "A `ParameterID` that is not known resembles a known one; what it belongs to is skipped.")
    case .parameterRepeated:
      Row(
        .warning, .error, nil, "parameter given twice",
        "An event has the same parameter twice; the last one counts.")
    case .valueOutOfRange:
      Row(
        .warning, .error, nil, "value out of range",
        "A value lies outside its range and is moved to the nearer end.")
    case .timeNegative:
      Row(
        .warning, .error, -4840, "negative time",
        "The time of a parameter, curve or control point is negative; 0 is used.")
    case .defaultUsed:
      Row(
        .note, .error, nil, "default used",
        "A haptic event leaves out its intensity or sharpness; the default of its type is used.")
    case .envelopeOnTransient:
      Row(
        .note, .warning, nil, "envelope on a transient",
        "An envelope parameter has no effect on a `HapticTransient`.")
    case .decayWhileSustained:
      Row(
        .note, .warning, nil, "decay while sustained",
        "`DecayTime` has no effect while `Sustained` is 1.")
    case .parameterOfOtherDomain:
      Row(
        .note, .warning, nil, "parameter without effect",
        "A haptic parameter stands on an audio event, or an audio parameter on a haptic event.")
    case .curveEmpty:
      Row(
        .warning, .error, nil, "curve without points",
        "A curve has no control points and changes nothing.")
    case .curvePointsOutOfOrder:
      Row(
        .warning, .error, nil, "control points out of order",
        "Control points are not in the order of time; they are sorted.")
    case .curvePointsAbsolute:
      Row(
        .warning, .error, nil, "control points look absolute",
        "The first point equals the curve's time and the last lies beyond the pattern: times counted from the pattern, not from the curve."
      )
    case .curveTooManyPoints:
      Row(
        .warning, .error, nil, "more than 16 control points",
        "A curve has more points than the 16 that are known to be safe on a phone.")
    case .curveOnePoint:
      Row(
        .note, .error, nil, "one control point",
        "A curve has a single point: a step whose value holds.")
    case .curveFirstPointLate:
      Row(
        .note, .error, nil, "late first control point",
        "The first point lies after the curve's time; until then what was in force holds.")
    case .curveJump:
      Row(
        .warning, .error, nil, "two control points at one time",
        "Two points share one time: a jump, which phones may not play; a ramp of 1 ms is safe.")
    case .eventsOutOfOrder:
      Row(
        .note, .error, nil, "events out of order",
        "The events do not stand in the order of time; they are played by their times.")
    case .patternLong:
      Row(
        .note, .error, nil, "pattern over 30 s",
        "The pattern is longer than 30 s.")
    case .patternEmpty:
      Row(
        .warning, .error, nil, "no events",
        "The pattern has no events: it can be read, but a player has nothing to play.")
    case .weakFirstTap:
      Row(
        .note, .note, nil, "weak first tap",
        "The first tap of a quick row is weaker than the next and may not be felt; a primer helps.")
    case .soundApart:
      Row(
        .note, .note, nil, "sound and haptics apart",
        "A sound and the haptics that it belongs to start a little apart.")
    case .noHeadroom:
      Row(
        .note, .note, nil, "no headroom",
        "A vibration is at full strength where a tap starts, and masks it.")
    case .effectLong:
      Row(
        .note, .note, nil, "long effect",
        "The effect lasts longer than 30 s, and haptics tire.")
    }
  }

  /// A short name without its circumstances.
  public var title: String { row.title }

  /// What the code means, in one sentence of Markdown.
  public var meaning: String { row.meaning }

  /// The severity in Apple mode.
  public var defaultSeverity: Severity { row.apple }

  /// The severity in strict mode.
  public var strictSeverity: Severity { row.strict }

  /// The error number of Core Haptics that stands for the same fault.
  public var appleError: Int? { row.appleError }

  /// The severity in a mode.
  public func severity(in mode: AHAPMode) -> Severity {
    switch mode {
    case .apple: defaultSeverity
    case .strict: strictSeverity
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
