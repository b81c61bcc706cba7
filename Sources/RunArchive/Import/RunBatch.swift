// SPDX-License-Identifier: Apache-2.0

public import Acceptance
private import Glibc

/// Runs that are written together and appear together, or not at all.
///
/// They are made below one hidden folder, and renamed into the archive one after the other when all of them are on
/// the disk. A rename that fails takes those before it back. A process that is killed between two renames leaves
/// whole runs: the same import adds the others, and what was taken out is hidden until it is pruned or replaced again.
public struct RunBatch: ~Copyable {
  private var folder: RunFolder
  private let archive: Archive
  private var runs: [(id: String, replaced: [String], entry: RunEntry)] = []
  private var names: Set<String> = []

  /// Makes the hidden folder in the archive's folder; `stamp` is the time as `20261121-095150`.
  public init(in archive: Archive, stamp: String) throws(ArchiveError) {
    self.archive = archive
    folder = try RunFolder(name: "\(stamp)-import", in: archive.location.folder)
  }

  /// A name for a run's folder that neither the archive nor the batch has yet.
  public mutating func id(_ name: String) -> String {
    let (taken, folder) = (names, archive.location.folder)
    let id = Folder.numbered(name) {
      !taken.contains($0) && access("\(folder)/\($0)", F_OK) != 0
    }
    names.insert(id)
    return id
  }

  /// Adds a run with its views, in the place of the runs that it replaces; its record is given their hashes.
  public mutating func add(
    _ record: RunRecord, views: [(name: String, text: String)], replacing replaced: [String] = []
  ) throws(ArchiveError) {
    let id = record.header.folder
    precondition(names.contains(id) || replaced.contains(id), "\(id) is no name of this batch")
    var record = record
    record.header.files = views.map { name, text in
      RunRecord.File(
        name: name, bytes: text.utf8.count, sha256: ContentHash(of: text).description)
    }
    for (name, text) in views { try folder.write(text, to: "\(id)/\(name)") }
    let text = record.text
    guard text.utf8.count <= StoredFile.recordLimit else {
      throw ArchiveError(
        path: id,
        message: "the record would have \(text.utf8.count) bytes, and at most "
          + "\(StoredFile.recordLimit) are read: give the rows moments of their own")
    }
    try folder.write(text, to: "\(id)/\(RunFolder.recordFile)")
    runs.append((id, replaced, try RunEntry(record: record, id: id, hash: ContentHash(of: text))))
  }

  /// Shows the runs in the archive and adds them to its index.
  public consuming func keep() throws(ArchiveError) {
    let place = archive.location.folder
    Folder.sync(folder.path)
    let replaced = runs.flatMap(\.replaced)
    // Out of the index first: what it lacks it is given when the archive is opened, what it has it keeps.
    if !replaced.isEmpty { try archive.forget(replaced) }
    // What a process that was killed had taken out under the same name would be in the way.
    for id in replaced { Folder.remove(Archive.removedPath(of: id, in: place)) }
    var done: [(from: String, to: String)] = []
    do throws(ArchiveError) {
      for run in runs {
        let moves =
          run.replaced.map { id in
            ("\(place)/\(id)", Archive.removedPath(of: id, in: place))
          } + [("\(folder.path)/\(run.id)", "\(place)/\(run.id)")]
        for (from, to) in moves {
          guard rename(from, to) == 0 else { throw AtomicFile.failure(to, errno) }
          done.append((from, to))
        }
      }
    } catch {
      for (from, to) in done.reversed() { rename(to, from) }
      throw ArchiveError(path: error.path, message: error.message + "; nothing was imported")
    }
    Folder.sync(place)
    for id in replaced { Folder.remove(Archive.removedPath(of: id, in: place)) }
    for start in stride(from: 0, to: runs.count, by: 256) {
      try archive.add(runs[start..<min(start + 256, runs.count)].map(\.entry))
    }
  }
}

extension Archive {
  /// Takes runs out of the index.
  func forget(_ ids: [String]) throws(ArchiveError) {
    try ask { index throws(IndexFault) in try index.remove(ids, in: place) }
  }
}
