/// What can be found in a file; the raw values are stable and are printed with each diagnostic.
///
/// Up to `AHAP099` the codes are the reader's; those from `AHAP101` are advice on the design.
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
  case noFinalNewline = "AHAP010"
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
  /// Nothing that is felt: the text says what is used anyway.
  case safe
  /// Control points that look absolute are counted from their curve.
  case rebase
  /// IDs, keys and event types in the wrong case are written as they are known.
  case letterCase = "case"
  /// Misspelled IDs, keys and event types with one likely meaning are written as they are known.
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
    case .trailingComma, .duplicateKey, .byteOrderMark, .noFinalNewline, .versionMissing,
      .versionUnusual, .versionInteger, .flagAsNumber, .entryAmbiguous, .eventTimeMissing,
      .durationIgnored, .parameterRepeated, .timeNegative, .defaultUsed, .curveEmpty,
      .curvePointsOutOfOrder, .eventsOutOfOrder:
      [.safe]
    case .keyMisspelled, .eventTypeUnknown, .parameterIDMisspelled: [.letterCase, .names]
    case .curvePointsAbsolute, .curveFirstPointLate: [.rebase]
    case .durationTooLong, .valueOutOfRange: [.clamp]
    default: []
    }
  }
}
