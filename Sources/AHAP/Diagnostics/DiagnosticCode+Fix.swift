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
