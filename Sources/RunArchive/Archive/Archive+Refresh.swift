// SPDX-License-Identifier: Apache-2.0

import Acceptance

extension Archive {
  /// What bringing the index up to date came to.
  public struct Update: Sendable, Equatable {
    /// Runs that were read and added.
    public var added = 0
    /// How many calibrations were read and added.
    public var calibrations = 0
    /// Runs whose folders are gone and that were taken out.
    public var removed: [String] = []
    /// Folders that hold a `record.json` that cannot be read as one.
    public var unreadable: [ArchiveError] = []
  }

  /// Adds the runs and calibrations that lie in the folder and are not in the index.
  ///
  /// What has lost its folder stays, runs with all their readings: `verify` tells of it, `rebuild` takes
  /// it out. Some 50 ms for a year of 20 rigs where nothing is missing. `progress` is told how many runs
  /// were read of how many. Where this user may not write the index and it lacks something, every folder is read
  /// into an index of this process's own, and a notice says so.
  @discardableResult
  public func refresh(progress: (Int, Int) -> Void = { _, _ in }) throws(ArchiveError) -> Update {
    try followReadOnly()
    let known = try ask { index throws(IndexFault) in
      try index.ids(in: place).union(index.calibrationIDs(in: place))
    }
    let missing = try Folder.names(in: location.folder).filter {
      !known.contains($0) && StoredRun.isName($0)
    }
    var update = Update()
    // Asked before: a question may find the index damaged, and turn to an index of its own.
    let isReadOnly = isReadOnly
    var lacks = false
    let calibrations = try read(missing, progress: progress, into: &update) {
      entries throws(ArchiveError) in
      if isReadOnly { lacks = true } else { try add(entries) }
    }
    if isReadOnly, lacks || !calibrations.isEmpty {
      try turnToOwn()
      return try refresh(progress: progress)
    }
    try ask { index throws(IndexFault) in try index.insert(calibrations, in: place) }
    unreadable = update.unreadable
    if isOwnIndex, notices.isEmpty {
      notices.append(
        "\(location.indexPath): this user cannot write the index, and it does not know every run: "
          + "\(known.count + update.added) runs were read from their folders")
    }
    return update
  }

  /// Makes the index anew from the folders, whatever state it is in.
  ///
  /// In a folder, a new file takes the place of the old when it is whole. On a server the runs of this
  /// folder are written over one batch after the other; those of other folders and machines stay.
  public static func rebuild(
    _ location: ArchiveLocation, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(ArchiveError) -> (update: Update, notices: [String]) {
    if let server = location.server {
      do throws(IndexFault) {
        _ = try PostgresDatabase(location: server)
      } catch {
        guard error.callsForRebuild else { throw Self.error(error, at: location) }
        try Self.work(at: location) { () throws(IndexFault) in
          try PostgresDatabase.rebuildTables(location: server)
        }
      }
    }
    let archive = try Archive(location, heals: true)
    let update = try archive.rebuild(progress: progress)
    return (update, archive.notices)
  }

  private func rebuild(progress: (Int, Int) -> Void) throws(ArchiveError) -> Update {
    let names = try Folder.names(in: location.folder).filter(StoredRun.isName)
    let before = try ask { index throws(IndexFault) in
      try index.ids(in: place).union(index.calibrationIDs(in: place))
    }
    var update = Update()
    if location.server == nil {
      var failure: ArchiveError?
      try closing { () throws(IndexFault) in
        try SQLiteFile.replace(in: location.folder) { fresh throws(IndexFault) in
          do throws(ArchiveError) {
            let calibrations = try read(names, progress: progress, into: &update) {
              entries throws(ArchiveError) in
              try Self.work(at: location) { () throws(IndexFault) in
                try fresh.insert(entries, in: place)
              }
            }
            try Self.work(at: location) { () throws(IndexFault) in
              try fresh.insert(calibrations, in: place)
            }
          } catch {
            failure = error
            throw IndexFault(error)
          }
          try fresh.finishRebuild()
        }
      } orElse: {
        failure
      }
    } else {
      let calibrations = try read(names, progress: progress, into: &update) {
        entries throws(ArchiveError) in
        try add(entries)
      }
      try ask { index throws(IndexFault) in try index.insert(calibrations, in: place) }
    }
    let after = try ask { index throws(IndexFault) in
      try index.ids(in: place).union(index.calibrationIDs(in: place))
    }
    update.removed = (location.server == nil ? before : after).subtracting(names).sorted()
    if location.server != nil {
      try ask { index throws(IndexFault) in
        try index.remove(update.removed, in: place)
        try index.removeCalibrations(update.removed, in: place)
        try index.finishRebuild()
      }
    }
    return update
  }

  /// Runs of one transaction: enough to be quick, few enough for memory.
  private static let batch = (runs: 256, readings: 200_000)

  /// Reads folders and hands over their entries batch by batch; gives the calibrations, of which there are few.
  private func read(
    _ names: [String], progress: (Int, Int) -> Void, into update: inout Update,
    _ take: ([RunEntry]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) -> [ArchivedCalibration] {
    var calibrations: [ArchivedCalibration] = []
    var entries: [RunEntry] = []
    var readings = 0
    for (done, name) in names.enumerated() {
      do throws(ArchiveError) {
        guard let run = try StoredRun(name, in: location.folder) else {
          if let one = try ArchivedCalibration(name, in: location.folder, place: place) {
            calibrations.append(one)
          }
          continue
        }
        let entry = try run.entry()
        entries.append(entry)
        readings += entry.rows.count
      } catch {
        update.unreadable.append(error)
        continue
      }
      progress(done + 1, names.count)
      if entries.count >= Self.batch.runs || readings >= Self.batch.readings {
        try take(entries)
        update.added += entries.count
        (entries, readings) = ([], 0)
      }
    }
    if !entries.isEmpty { try take(entries) }
    update.added += entries.count
    update.calibrations = calibrations.count
    return calibrations
  }
}

/// A run's folder as it lies in the archive.
struct StoredRun {
  let id: String
  let record: RunRecord
  let hash: ContentHash

  /// Reads the record of a folder, which is no link; `nil` where the folder is no run's.
  init?(_ id: String, in archive: String) throws(ArchiveError) {
    let folder = archive + "/" + id
    let path = folder + "/" + RunFolder.recordFile
    guard
      let bytes = try StoredFile.bytes(
        RunFolder.recordFile, in: folder, limit: StoredFile.recordLimit)
    else { return nil }
    do throws(RunRecordError) {
      record = try RunRecord(parsing: bytes)
    } catch {
      throw ArchiveError(path: path, message: "\(error)")
    }
    self.id = id
    hash = ContentHash(of: bytes)
  }

  func entry() throws(ArchiveError) -> RunEntry {
    try RunEntry(record: record, id: id, hash: hash)
  }

  /// Whether a folder of an archive has a record, whatever it says.
  static func isThere(_ id: String, in archive: String) -> Bool {
    isName(id) && RunFolder.isRun("\(archive)/\(id)")
  }

  /// Whether a text can be the name of a run's folder: one component, not hidden.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 255
      && !text.utf8.contains { $0 == 0x2F || $0 == 0 }
  }
}
