public import Acceptance
public import ChangeDetection
private import Glibc

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

  /// The series of a rig and plan that have values, by pattern and reading.
  ///
  /// - Parameters:
  ///   - rig: The rig's name.
  ///   - plan: The plan's name.
  ///   - days: The UTC days, both ends included; all where none are given.
  ///   - isWanted: Which of them are read; all where nothing is said.
  /// - Returns: The series with their nights.
  /// - Throws: `ArchiveError` where the index cannot be asked.
  public func series(
    rig: String, plan: String, days: ClosedRange<CalendarDay>? = nil,
    where isWanted: (SeriesKey) -> Bool = { _ in true }
  ) throws(ArchiveError) -> [ReadingSeries] {
    try ask { index throws(IndexFault) in
      try index.series(rig: rig, plan: plan, days: days, where: isWanted)
    }
  }

  /// The series of a rig and plan as change detection takes them: a median a night, by pattern and reading.
  ///
  /// What `series` and `ReadingSeries.nightly` come to for runs that are no re-runs, and a fifth of the
  /// reading: the medians are kept. 276 series of a year take some 50 ms.
  ///
  /// - Parameters:
  ///   - rig: The rig's name.
  ///   - plan: The plan's name.
  ///   - days: The UTC days, both ends included; all where none are given.
  ///   - isWanted: Which of them are read; all where nothing is said.
  /// - Returns: The series that have nights; one whose unit no version knows counts as 1.
  /// - Throws: `ArchiveError` where the index cannot be asked.
  public func nights(
    rig: String, plan: String, days: ClosedRange<CalendarDay>? = nil,
    where isWanted: (SeriesKey) -> Bool = { _ in true }
  ) throws(ArchiveError) -> [NightlySeries] {
    try ask { index throws(IndexFault) in
      try index.nights(rig: rig, plan: plan, days: days, where: isWanted)
    }
  }

  /// What the runs that match were made in, the latest first: `kernel`, `alsa-lib`, `revision`, `profile`, ...
  public func environment(
    of filter: RunFilter
  ) throws(ArchiveError) -> [(run: String, environment: [String: String])] {
    try ask { index throws(IndexFault) in try index.environment(of: filter) }
  }

  /// What one property of the environment was in the runs that match and had it, by their ids.
  public func environment(
    _ property: String, of filter: RunFilter
  ) throws(ArchiveError) -> [String: String] {
    try ask { index throws(IndexFault) in try index.environment(property, of: filter) }
  }

  /// The record of a run; `nil` where its folder is on another machine, or gone.
  ///
  /// - Throws: `ArchiveError` where it cannot be read as one.
  public func record(of run: ArchivedRun) throws(ArchiveError) -> RunRecord? {
    guard run.place == place, StoredRun.isName(run.id) else { return nil }
    return try StoredRun(run.id, in: location.folder)?.record
  }

  /// The path of a file in a run's folder; `nil` where the run is on another machine, or the file gone.
  public func path(of file: String, in run: ArchivedRun) -> String? {
    guard run.place == place, StoredRun.isName(run.id) else { return nil }
    let path = "\(location.folder)/\(run.id)/\(file)"
    return access(path, F_OK) == 0 ? path : nil
  }

  /// Every reading of a run, measured or not, in the order of its record; none of an unknown run.
  public func readings(of run: String) throws(ArchiveError) -> [ArchivedReading] {
    try ask { index throws(IndexFault) in try index.readings(of: run, in: place) }
  }
}
