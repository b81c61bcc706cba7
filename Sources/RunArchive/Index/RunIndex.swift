import ChangeDetection

/// What is asked of an index over the folders of an archive, whatever database holds it.
///
/// Everything in it was read from run folders and can be read from them again. Errors name no place:
/// `Archive` adds it.
protocol RunIndex: AnyObject {
  /// Adds runs together or not at all; a run of the same place and id is replaced.
  func insert(_ entries: [RunEntry], in place: String) throws(IndexFault)

  /// Takes runs out; ids that are not there are passed over.
  func remove(_ ids: [String], in place: String) throws(IndexFault)

  /// The ids of all runs of a place.
  func ids(in place: String) throws(IndexFault) -> Set<String>

  /// The ids of all runs of a place, with the hash of their records.
  func hashes(in place: String) throws(IndexFault) -> [String: String]

  /// The runs that match, the latest first.
  func runs(matching filter: RunFilter) throws(IndexFault) -> [ArchivedRun]

  /// The latest run of each rig and plan, by their names.
  func latestRuns() throws(IndexFault) -> [ArchivedRun]

  /// What is measured on a rig: the series that have a value, by pattern and reading.
  func seriesKeys(rig: String) throws(IndexFault) -> [SeriesListing]

  /// One series of each plan, run by run.
  func series(
    for key: SeriesKey, plan: String?, days: ClosedRange<CalendarDay>?
  ) throws(IndexFault) -> [ReadingSeries]

  /// The series of a rig and plan whose keys are wanted, run by run.
  func series(
    rig: String, plan: String, days: ClosedRange<CalendarDay>?, where isWanted: (SeriesKey) -> Bool
  ) throws(IndexFault) -> [ReadingSeries]

  /// The nights of the series of a rig and plan whose keys are wanted, over the runs that are no re-runs.
  func nights(
    rig: String, plan: String, days: ClosedRange<CalendarDay>?, where isWanted: (SeriesKey) -> Bool
  ) throws(IndexFault) -> [NightlySeries]

  /// What the runs that match were made in, by their ids.
  func environment(
    of filter: RunFilter
  ) throws(IndexFault) -> [(run: String, environment: [String: String])]

  /// What one property of the environment was in the runs that match and had it, by their ids.
  func environment(
    _ property: String, of filter: RunFilter
  ) throws(IndexFault) -> [String: String]

  /// Every reading of a run in the order of its record.
  func readings(of id: String, in place: String) throws(IndexFault) -> [ArchivedReading]

  /// Ends a large change: the database looks at what it holds now.
  func finishRebuild() throws(IndexFault)

  /// What the database finds wrong with itself.
  func selfCheck() throws(IndexFault) -> [String]
}
