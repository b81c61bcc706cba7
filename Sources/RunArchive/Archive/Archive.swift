public import Acceptance
public import ChangeDetection
import Glibc

/// An archive of runs: folders that are complete in themselves, and an index over them for questions.
///
/// The index is made of the folders and of nothing else. Opening an archive adds to it what was written
/// without it, so a process that was killed between the two costs nothing. Use it from one task at a
/// time and do not hold it open for long: who replaces the index waits for you.
public final class Archive {
  /// Where the archive is.
  public let location: ArchiveLocation
  /// What was found and done on opening, one sentence each, for standard error.
  public internal(set) var notices: [String] = []
  /// Runs that could not be read when the index was last brought up to date.
  public internal(set) var unreadable: [ArchiveError] = []

  /// What names the folder on a server that several machines write to; empty in the folder's own index.
  let place: String
  /// The index and, where it is a file, what keeps others from replacing it.
  private var opened: (index: RunIndex, file: SQLiteFile?)?
  /// Whether a damaged index is made anew by whoever meets it.
  private let heals: Bool

  /// Opens an archive for questions: an index that is damaged, or of another program, is set aside and made
  /// anew, and runs that it lacks are added.
  ///
  /// - Parameters:
  ///   - location: Where it is.
  ///   - progress: Called with how many runs were read of how many, where some have to be.
  /// - Throws: `ArchiveError` where the folder or the server is not there.
  public convenience init(
    opening location: ArchiveLocation, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(ArchiveError) {
    try self.init(location, heals: true)
    try refresh(progress: progress)
  }

  /// Opens an archive as it is: nothing is added, and nothing damaged is made anew.
  init(_ location: ArchiveLocation, heals: Bool) throws(ArchiveError) {
    self.location = location
    self.heals = heals
    guard access(location.folder, F_OK) == 0 else {
      throw ArchiveError(
        path: location.folder,
        message:
          "there is no such folder: name the archive with --archive DIR, or run something first")
    }
    // An index would be made in the run's folder, and an archive without a run be found sound.
    guard !RunFolder.isRun(location.folder) else {
      throw ArchiveError(
        path: location.folder,
        message: "this is a run's folder, not an archive: name the folder that it lies in")
    }
    place = location.server == nil ? "" : try Self.place(of: location.folder)
    do throws(IndexFault) {
      opened = try Self.open(location)
    } catch {
      guard heals, location.server == nil, error.callsForRebuild else {
        throw Self.error(error, at: location)
      }
      do throws(IndexFault) {
        if let name = try SQLiteFile.setAside(in: location.folder) {
          notices.append(Self.notice(of: error, at: location, movedTo: name))
        }
        opened = try Self.open(location)
      } catch {
        throw Self.error(error, at: location)
      }
    }
  }

  /// Adds a run to the index after its folder is in place.
  ///
  /// Nothing is repaired here: whoever opens the archive next for a question adds what is missing.
  ///
  /// - Parameters:
  ///   - id: The name of the run's folder.
  ///   - location: Where the archive is.
  /// - Throws: `ArchiveError` where the run cannot be read or the index not be written.
  public static func index(_ id: String, in location: ArchiveLocation) throws(ArchiveError) {
    let archive = try Archive(location, heals: false)
    guard StoredRun.isName(id), let run = try StoredRun(id, in: location.folder) else {
      throw ArchiveError(
        path: location.folder + "/" + id,
        message: "this is no run's folder: it has no \(RunFolder.recordFile)")
    }
    try archive.add([run.entry()])
  }

  /// Adds entries together or not at all; a run with the id of another takes its place.
  public func add(_ entries: [RunEntry]) throws(ArchiveError) {
    try ask { index throws(IndexFault) in try index.insert(entries, in: place) }
  }

  /// Asks the index, once more where it was damaged and has been made anew.
  func ask<Value>(
    _ question: (RunIndex) throws(IndexFault) -> Value
  ) throws(ArchiveError) -> Value {
    do throws(IndexFault) {
      return try once(question)
    } catch {
      guard case .damaged = error, heals, location.server == nil else {
        throw Self.error(error, at: location)
      }
      try heal(error)
    }
    do throws(IndexFault) {
      return try once(question)
    } catch {
      throw Self.error(error, at: location)
    }
  }

  private func once<Value>(
    _ question: (RunIndex) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    guard let opened else { throw .failed("the index is closed") }
    return try question(opened.index)
  }

  private func heal(_ fault: IndexFault) throws(ArchiveError) {
    try closing { () throws(IndexFault) in
      if let name = try SQLiteFile.setAside(in: location.folder) {
        notices.append(Self.notice(of: fault, at: location, movedTo: name))
      }
    }
    try refresh()
  }

  /// Does something to the index's file while this archive does not have it open.
  ///
  /// `orElse` may know better what went wrong than the fault does.
  func closing(
    _ body: () throws(IndexFault) -> Void, orElse: () -> ArchiveError? = { nil }
  ) throws(ArchiveError) {
    do throws(IndexFault) {
      opened = nil
      try body()
      opened = try Self.open(location)
    } catch {
      throw orElse() ?? Self.error(error, at: location)
    }
  }

  private static func open(
    _ location: ArchiveLocation
  ) throws(IndexFault) -> (index: RunIndex, file: SQLiteFile?) {
    if let server = location.server {
      return (RunIndex(database: try PostgresDatabase(location: server)), nil)
    }
    let file = try SQLiteFile(folder: location.folder)
    return (RunIndex(database: file.database), file)
  }

  static func error(_ fault: IndexFault, at location: ArchiveLocation) -> ArchiveError {
    ArchiveError(
      path: location.server == nil ? location.indexPath : location.description,
      message: fault.message)
  }

  private static func notice(
    of fault: IndexFault, at location: ArchiveLocation, movedTo name: String
  ) -> String {
    let what =
      switch fault {
      case .foreign: "the file is a database of another program"
      case .otherSchema(let found): "the index has the older schema \(found)"
      case .damaged(let reason): "the index is damaged (\(reason))"
      case .busy, .interrupted, .failed: fault.message
      }
    return
      "\(location.indexPath): \(what): it was moved to \(name), and the index was made anew from "
      + "the run folders"
  }

  /// The machine and the folder, links followed.
  private static func place(of folder: String) throws(ArchiveError) -> String {
    guard let resolved = realpath(folder, nil) else { throw AtomicFile.failure(folder, errno) }
    defer { free(resolved) }
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    let name = host.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return name + ":" + String(cString: resolved)
  }
}

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
