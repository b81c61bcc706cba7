extension Archive {
  /// The runs that match, the latest first.
  public func runs(matching filter: RunFilter = RunFilter()) throws(ArchiveError) -> [ArchivedRun] {
    try ask { index throws(IndexFault) in try index.runs(matching: filter) }
  }

  /// The latest run of each rig and plan, in the order of their names.
  public func latestRuns() throws(ArchiveError) -> [ArchivedRun] {
    try ask { index throws(IndexFault) in try index.latestRuns() }
  }

  /// What is measured on a rig: the series that have at least one value, by plan, pattern and reading.
  public func seriesKeys(rig: String) throws(ArchiveError) -> [SeriesListing] {
    try ask { index throws(IndexFault) in try index.seriesKeys(rig: rig) }
  }

  /// One series, night by night, with the value of every run that was complete.
  ///
  /// - Parameters:
  ///   - key: What makes the series.
  ///   - plan: The plan whose runs count; of each plan apart where none is given.
  ///   - days: The UTC days, both ends included; all where none are given.
  /// - Returns: A series a plan that has values, by the plans' names.
  /// - Throws: `ArchiveError` where the index cannot be asked.
  public func series(
    for key: SeriesKey, plan: String? = nil, days: ClosedRange<CalendarDay>? = nil
  ) throws(ArchiveError) -> [ReadingSeries] {
    try ask { index throws(IndexFault) in try index.series(for: key, plan: plan, days: days) }
  }

  /// All series of a rig and plan that have values, by pattern and reading.
  public func series(
    rig: String, plan: String, days: ClosedRange<CalendarDay>? = nil
  ) throws(ArchiveError) -> [ReadingSeries] {
    try ask { index throws(IndexFault) in try index.series(rig: rig, plan: plan, days: days) }
  }

  /// What the runs that match were made in, the latest first: `kernel`, `alsa-lib`, `revision`, `profile`, ...
  public func environment(
    of filter: RunFilter
  ) throws(ArchiveError) -> [(run: String, environment: [String: String])] {
    try ask { index throws(IndexFault) in try index.environment(of: filter) }
  }

  /// Every reading of a run, measured or not, in the order of its record; none of an unknown run.
  public func readings(of run: String) throws(ArchiveError) -> [ArchivedReading] {
    try ask { index throws(IndexFault) in try index.readings(of: run, in: place) }
  }
}
