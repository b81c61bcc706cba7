// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An archive of runs: folders that are complete in themselves, and an index over them for questions.
///
/// The index is made of the folders and of nothing else. Opening an archive adds to it what was written
/// without it, so a process that was killed between the two costs nothing. Whoever may only read the folder reads
/// the index, or where that does not know every run, the folders. Use it from one task at a time and do not hold it
/// open for long: who replaces the index waits for you.
public final class Archive {
  /// Where the archive is.
  public let location: ArchiveLocation
  /// What was found and done on opening, one sentence each, for standard error.
  public internal(set) var notices: [String] = []
  /// Runs that could not be read when the index was last brought up to date.
  public internal(set) var unreadable: [ArchiveError] = []

  /// What names the folder on a server that several machines write to; empty in the folder's own index.
  let place: String
  /// The index and, where it is the archive's file, what keeps others from replacing it.
  private var opened: (index: RunIndex, file: SQLiteFile?)?
  /// Whether a damaged index is made anew by whoever meets it.
  private let heals: Bool

  /// Opens an archive for questions: an index that is damaged, or of another program, is set aside and made
  /// anew, and runs that it lacks are added; `progress` is told how many were read of how many.
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
      guard heals, location.server == nil else { throw Self.error(error, at: location) }
      let fault = error
      guard SQLiteFile.canBeWritten(in: location.folder) else {
        try turnToOwn()
        return
      }
      guard fault.callsForRebuild else { throw Self.error(fault, at: location) }
      try Self.work(at: location) { () throws(IndexFault) in
        try setAside(because: fault)
        opened = try Self.open(location)
      }
    }
  }

  /// Whether the index is this process's own, made of the folders, since the archive's cannot be written by this
  /// user and does not know every run: nobody waits for it, and it has to be made again where it is let go of.
  public var isOwnIndex: Bool {
    guard let opened else { return false }
    return location.server == nil && opened.file == nil
  }

  /// Whether the index is the archive's, and this user may only read it.
  var isReadOnly: Bool { opened?.file?.isReadOnly == true }

  /// Opens an empty index of this process's own, which `refresh` fills.
  private func openOwn() throws(IndexFault) {
    opened = (RunIndex(database: try SQLiteDatabase(.own)), nil)
  }

  /// Opens an index that this user may only read as it is now, where it has changed since.
  func followReadOnly() throws(ArchiveError) {
    guard opened?.file?.isOutdated == true else { return }
    try Self.work(at: location) { () throws(IndexFault) in try reopenReadOnly() }
  }

  private func reopenReadOnly() throws(IndexFault) {
    opened = nil
    do throws(IndexFault) {
      opened = try Self.open(location)
    } catch {
      try openOwn()
    }
  }

  /// Turns from an index that this user may only read to one of this process's own.
  func turnToOwn() throws(ArchiveError) {
    try Self.work(at: location) { () throws(IndexFault) in try openOwn() }
  }

  /// Adds a run to the index after its folder is in place.
  ///
  /// Nothing is repaired here: whoever opens the archive next for a question adds what is missing.
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
    return try Self.work(at: location) { () throws(IndexFault) in try once(question) }
  }

  /// Does something whose faults are told with the place of the index.
  static func work<Value>(
    at location: ArchiveLocation, _ body: () throws(IndexFault) -> Value
  ) throws(ArchiveError) -> Value {
    do throws(IndexFault) {
      return try body()
    } catch {
      throw Self.error(error, at: location)
    }
  }

  private func once<Value>(
    _ question: (RunIndex) throws(IndexFault) -> Value
  ) throws(IndexFault) -> Value {
    while true {
      guard let opened else { throw .failed("the index is closed") }
      let outcome = Result { () throws(IndexFault) -> Value in try question(opened.index) }
      guard opened.file?.hasMoved == true else { return try outcome.get() }
      try reopenReadOnly()
      if isOwnIndex { throw .busy }
    }
  }

  private func heal(_ fault: IndexFault) throws(ArchiveError) {
    if isReadOnly {
      try turnToOwn()
    } else {
      try closing { () throws(IndexFault) in try setAside(because: fault) }
    }
    try refresh()
  }

  private func setAside(because fault: IndexFault) throws(IndexFault) {
    guard let name = try SQLiteFile.setAside(in: location.folder) else { return }
    notices.append(Self.notice(of: fault, at: location, movedTo: name))
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
      message: fault.message, isOfTheMachine: fault.isOfTheMachine)
  }

  private static func notice(
    of fault: IndexFault, at location: ArchiveLocation, movedTo name: String
  ) -> String {
    let what =
      switch fault {
      case .foreign: "the file is a database of another program"
      case .otherSchema(let found): "the index has the older schema \(found)"
      case .damaged(let reason): "the index is damaged (\(reason))"
      case .busy, .interrupted, .full, .failed: fault.message
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
