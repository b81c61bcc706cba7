/// What can be found in a file; the raw values are stable and are printed with each diagnostic.
///
/// Up to `AHAP099` the codes are the reader's; those from `AHAP101` are advice on the design.
public enum DiagnosticCode: String, Sendable, CaseIterable {
  /// The file has more bytes than the reader's limit.
  case inputTooLarge = "AHAP001"
  /// The text is not JSON, even with trailing commas allowed.
  case brokenJSON = "AHAP002"
  /// The outermost value is not a JSON object.
  case notAnObject = "AHAP003"
  /// The file has no `Pattern`, so there is nothing to play.
  case patternMissing = "AHAP004"
  /// `Pattern` is not a JSON array of entries.
  case patternNotAnArray = "AHAP005"
  /// `Pattern` has more entries than the reader's limit.
  case tooManyEntries = "AHAP006"
  /// A comma stands before a closing bracket; Apple's reader allows it, strict JSON does not.
  case trailingComma = "AHAP007"
  /// An object has a key twice; the last one counts.
  case duplicateKey = "AHAP008"
  /// The text starts with a byte order mark, which is skipped.
  case byteOrderMark = "AHAP009"
  /// The last line does not end with a line feed.
  case noFinalNewline = "AHAP010"
  /// `Version` is missing; 1.0 is assumed.
  case versionMissing = "AHAP011"
  /// `Version` is not the number 1.0, the only one that means anything.
  case versionUnusual = "AHAP012"
  /// `Version` is written as the integer 1, not as 1.0.
  case versionInteger = "AHAP013"
  /// `Metadata` has a key other than `Project`, `Created` and `Description`.
  case metadataKeyUnknown = "AHAP014"
  /// A key means nothing where it stands and is ignored.
  case keyIgnored = "AHAP015"
  /// An ignored key resembles a known one: the pattern plays differently from what was meant.
  case keyMisspelled = "AHAP016"
  /// An optional value has the wrong JSON type; its default is used.
  case valueWrongType = "AHAP017"
  /// A flag is written as 0 or 1, not as false or true.
  case flagAsNumber = "AHAP018"
  /// An entry of `Pattern` is not a JSON object.
  case entryNotAnObject = "AHAP019"
  /// An entry holds none or several of `Event`, `Parameter` and `ParameterCurve`; each that it
  /// holds is read.
  case entryAmbiguous = "AHAP020"
  /// An event lacks its `EventType`, a continuous event its `EventDuration`, or a sound its
  /// `EventWaveformPath`.
  case eventFieldMissing = "AHAP021"
  /// A required value of an event has the wrong JSON type.
  case eventFieldWrongType = "AHAP022"
  /// `EventType` is not one of the four types.
  case eventTypeUnknown = "AHAP023"
  /// An event lacks its `Time`; 0 is used.
  case eventTimeMissing = "AHAP024"
  /// An event starts before its pattern.
  case eventTimeNegative = "AHAP025"
  /// The `EventDuration` of a continuous event is 0 or negative.
  case durationNotPositive = "AHAP026"
  /// A negative duration, or a duration of 0 for a sound file, is ignored.
  case durationIgnored = "AHAP027"
  /// A continuous event is longer than 30 s; it is limited to 30 s.
  case durationTooLong = "AHAP028"
  /// An `AudioCustom` event has an `EventDuration`, which cuts the sound or pads it with silence.
  case durationOnAudioCustom = "AHAP029"
  /// A parameter, curve or control point lacks a required value.
  case parameterFieldMissing = "AHAP030"
  /// A required value of a parameter, curve or control point has the wrong JSON type.
  case parameterFieldWrongType = "AHAP031"
  /// A `ParameterID` is not known; what it belongs to is skipped.
  case parameterIDUnknown = "AHAP032"
  /// A `ParameterID` that is not known resembles a known one; what it belongs to is skipped.
  case parameterIDMisspelled = "AHAP033"
  /// An event has the same parameter twice; the last one counts.
  case parameterRepeated = "AHAP034"
  /// A value lies outside its range and is moved to the nearer end.
  case valueOutOfRange = "AHAP035"
  /// The time of a parameter, curve or control point is negative; 0 is used.
  case timeNegative = "AHAP036"
  /// A haptic event leaves out its intensity or sharpness; the default of its type is used.
  case defaultUsed = "AHAP037"
  /// An envelope parameter has no effect on a `HapticTransient`.
  case envelopeOnTransient = "AHAP038"
  /// `DecayTime` has no effect while `Sustained` is 1.
  case decayWhileSustained = "AHAP039"
  /// A haptic parameter stands on an audio event, or an audio parameter on a haptic event.
  case parameterOfOtherDomain = "AHAP040"
  /// A curve has no control points and changes nothing.
  case curveEmpty = "AHAP041"
  /// Control points are not in the order of time; they are sorted.
  case curvePointsOutOfOrder = "AHAP042"
  /// The first point equals the curve's time and the last lies beyond the pattern: times counted
  /// from the pattern, not from the curve.
  case curvePointsAbsolute = "AHAP043"
  /// A curve has more points than the 16 that are known to be safe on a phone.
  case curveTooManyPoints = "AHAP044"
  /// A curve has a single point: a step whose value holds.
  case curveOnePoint = "AHAP045"
  /// The first point lies after the curve's time; until then what was in force holds.
  case curveFirstPointLate = "AHAP046"
  /// Two points share one time: a jump, which phones may not play; a ramp of 1 ms is safe.
  case curveJump = "AHAP047"
  /// The events do not stand in the order of time; they are played by their times.
  case eventsOutOfOrder = "AHAP048"
  /// The pattern is longer than 30 s.
  case patternLong = "AHAP049"
  /// The pattern has no events: it can be read, but a player has nothing to play.
  case patternEmpty = "AHAP050"

  /// The first tap of a quick row is weaker than the next, and nothing before it wakes the skin.
  case weakFirstTap = "AHAP101"
  /// A sound and the haptics that it belongs to start a little apart.
  case soundApart = "AHAP102"
  /// A vibration is at full strength where a tap starts, which is masked.
  case noHeadroom = "AHAP103"
  /// The effect lasts longer than 30 s.
  case effectLong = "AHAP104"

  /// Whether the code is advice on the design, given only to those who ask for it.
  public var isAdvice: Bool {
    switch self {
    case .weakFirstTap, .soundApart, .noHeadroom, .effectLong: true
    default: false
    }
  }
}
