/// A reading that has to be measured, whatever its value is.
public struct Requirement: Sendable, Equatable {
  /// The reading.
  public var reading: ReadingName
  /// The patterns that owe it; empty for all.
  public var patterns: [String]

  /// Makes a requirement.
  public init(_ reading: ReadingName, patterns: [String] = []) {
    self.reading = reading
    self.patterns = patterns
  }

  /// Whether a pattern owes the reading.
  func applies(to pattern: String) -> Bool { patterns.isEmpty || patterns.contains(pattern) }

  /// The patterns that owe the reading and have not one measured value of it; for a reading of the
  /// run that has none, one `nil`.
  ///
  /// One value of the run pays for all patterns.
  func missing(in readings: [Reading], patterns: [String]) -> [String?] {
    let measured = readings.filter { $0.name == reading && $0.value != nil }
    guard !measured.contains(where: { $0.pattern == nil }) else { return [] }
    // The control has patterns of its own: whichever of them tells the reading is enough.
    let wanted = reading.isControl ? self.patterns : patterns.filter(applies)
    guard !wanted.isEmpty else { return measured.isEmpty ? [nil] : [] }
    return wanted.filter { name in !measured.contains { $0.pattern == name } }
  }
}
