// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Glibc
import Paths

/// How long what is kept.
public struct Retention: Sendable, Hashable {
  /// Days after which a run's recordings go; they stay where this is `nil`.
  public let recordings: Int?
  /// Days after which a whole run goes; it stays where this is `nil`.
  public let runs: Int?

  /// Makes a rule of days; fails where they make none, as where whole runs go before their recordings.
  public init(recordings: Int?, runs: Int?) throws(ArchiveError) {
    for (option, days) in [("--keep-recordings", recordings), ("--keep-runs", runs)] {
      guard let days, !(0...36_500).contains(days) else { continue }
      throw ArchiveError(path: option, message: "takes 0 to 36500 days, not \(days)")
    }
    guard recordings != nil || runs != nil else {
      throw ArchiveError(
        path: "prune", message: "say what is old: --keep-recordings DAYS, --keep-runs DAYS, or both"
      )
    }
    if let recordings, let runs, runs < recordings {
      throw ArchiveError(
        path: "--keep-runs",
        message:
          "\(runs) days are fewer than the \(recordings) of --keep-recordings: recordings go "
          + "first, records last")
    }
    self.recordings = recordings
    self.runs = runs
  }
}

/// What pruning freed, or would free.
public struct PruneSummary: Sendable, Equatable {
  /// Something that goes.
  public struct Item: Sendable, Equatable {
    /// The run, or the hidden folder.
    public var name: String
    /// How many files.
    public var files: Int
    /// How many bytes they have.
    public var bytes: Int
  }

  /// Runs that lose their recordings.
  public var recordings: [Item] = []
  /// Runs that go whole.
  public var runs: [Item] = []
  /// Hidden folders of runs that were killed, and of pruning that was.
  public var leftovers: [Item] = []
  /// Runs that are old enough and stay: a baseline is pinned to them.
  public var pinned: [String] = []
  /// What could not be read or removed.
  public var problems: [ArchiveError] = []

  /// All bytes of all items.
  public var bytes: Int { (recordings + runs + leftovers).reduce(0) { $0 + $1.bytes } }
}

extension Archive {
  /// Removes what is old: recordings first, whole runs last, and never a run that a baseline is pinned to.
  ///
  /// It may be stopped at any moment: what a run loses is written down before it goes, and a run that
  /// goes is hidden and out of the index before its first file is removed. The next call takes the rest.
  /// A dry one tells everything and does nothing. Where the archive or one of its baselines cannot be read,
  /// nothing is removed.
  public func prune(
    _ retention: Retention, now: Moment, isDry: Bool
  ) throws(ArchiveError) -> PruneSummary {
    let pinned = Set(try decisions().compactMap(\.kept.decision.run))
    var summary = PruneSummary()
    try pruneLeftovers(now: now, isDry: isDry, into: &summary)
    let runs = try runs().filter { $0.place == place }.reversed()
    var old: [String] = []
    for run in runs {
      let age = now.seconds - run.started.seconds
      let isOld = retention.runs.map { age > $0 * 86_400 } ?? false
      let hasOldRecordings = retention.recordings.map { age > $0 * 86_400 } ?? false
      guard isOld || hasOldRecordings else { continue }
      if pinned.contains(run.id) {
        summary.pinned.append(run.id)
      } else if isOld {
        old.append(run.id)
      } else {
        try pruneRecordings(of: run.id, now: now, isDry: isDry, into: &summary)
      }
    }
    for start in stride(from: 0, to: old.count, by: 64) {
      try pruneRuns(Array(old[start..<min(start + 64, old.count)]), isDry: isDry, into: &summary)
    }
    return summary
  }

  private func pruneRecordings(
    of id: String, now: Moment, isDry: Bool, into summary: inout PruneSummary
  ) throws(ArchiveError) {
    let folder = location.folder + "/" + id
    do throws(ArchiveError) {
      // Most old runs have lost theirs already, and their records need not be read.
      guard let open = try OpenFolder(folder),
        try Folder.names(in: open.pinnedPath).contains(where: {
          ["flac", "wav"].contains(FilePath.ending(of: $0))
        }),
        let run = try StoredRun(id, in: location.folder)
      else { return }
      var item = PruneSummary.Item(name: id, files: 0, bytes: 0)
      var names: [String] = []
      for name in run.recordings {
        guard let size = open.size(of: name) else { continue }
        names.append(name)
        item.files += 1
        item.bytes += size
      }
      guard !names.isEmpty else { return }
      if !isDry {
        var pruned = try PrunedFiles.read(in: folder)
        pruned.date = now.description
        pruned.names.formUnion(names)
        try pruned.write(in: open, path: folder)
        for name in names { open.unlink(name) }
      }
      summary.recordings.append(item)
    } catch {
      summary.problems.append(error)
    }
  }

  private func pruneRuns(
    _ ids: [String], isDry: Bool, into summary: inout PruneSummary
  ) throws(ArchiveError) {
    var hidden: [String] = []
    var gone: [String] = []
    for id in ids {
      let folder = location.folder + "/" + id
      do throws(ArchiveError) {
        // A link is left as it is, and so is what it leads to.
        _ = try OpenFolder(folder)
      } catch {
        summary.problems.append(error)
        continue
      }
      let item = Folder.item(folder, name: id)
      if isDry {
        summary.runs.append(item)
        continue
      }
      let target = Self.removedPath(of: id, in: location.folder)
      if rename(folder, target) == 0 {
        hidden.append(target)
        summary.runs.append(item)
      } else if errno != ENOENT {
        summary.problems.append(AtomicFile.failure(folder, errno))
        continue
      }
      gone.append(id)
    }
    guard !isDry, !gone.isEmpty else { return }
    Folder.sync(location.folder)
    let removed = gone
    try ask { index throws(IndexFault) in try index.remove(removed, in: place) }
    for folder in hidden { remove(folder, into: &summary) }
  }

  /// What a run that was killed left under a hidden name, a day after it was last touched, and what is left
  /// of runs that were being removed.
  private func pruneLeftovers(
    now: Moment, isDry: Bool, into summary: inout PruneSummary
  ) throws(ArchiveError) {
    for name in try Folder.names(in: location.folder, hidden: true) {
      let path = location.folder + "/" + name
      let removed = name.hasSuffix(Self.removedSuffix)
      guard removed || Self.isRunLeftover(name) else { continue }
      if !removed {
        guard let touched = Folder.lastChange(in: path), now.seconds - touched > 86_400 else {
          continue
        }
      }
      summary.leftovers.append(Folder.item(path, name: name))
      guard !isDry else { continue }
      if removed {
        let id = String(name.dropFirst().dropLast(Self.removedSuffix.count))
        try ask { index throws(IndexFault) in try index.remove([id], in: place) }
      }
      remove(path, into: &summary)
    }
  }

  private func remove(_ folder: String, into summary: inout PruneSummary) {
    Folder.remove(folder, last: RunFolder.recordFile)
    var status = stat()
    if lstat(folder, &status) == 0 {
      summary.problems.append(
        ArchiveError(
          path: folder, message: "it cannot be removed whole: look at what is left in it"))
    }
  }

  private static let removedSuffix = ".removed"

  static func removedPath(of id: String, in folder: String) -> String {
    "\(folder)/.\(id)\(removedSuffix)"
  }

  /// Whether a hidden name is that of a run in the making: `.20261121-095150-RIG-PLAN.partial`.
  private static func isRunLeftover(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard name.hasSuffix(".partial"), bytes.count > 17, bytes[9] == 0x2D, bytes[16] == 0x2D else {
      return false
    }
    return CalendarDay.isDigits(bytes[1..<9]) && CalendarDay.isDigits(bytes[10..<16])
  }
}

extension StoredRun {
  /// The names of the recordings that the record names, those that would lead elsewhere left out.
  var recordings: [String] {
    record.patterns.flatMap(\.takes).flatMap { [$0.drive, $0.response] }.compactMap { $0 }
      .filter { StoredRun.isName($0) && $0 != RunFolder.recordFile }
  }
}

extension Folder {
  static func size(of path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// How many files a folder has, and how many bytes they; none where it is a link.
  static func item(_ folder: String, name: String) -> PruneSummary.Item {
    let names = isFolder(folder) ? (try? paths(below: folder)) ?? [] : []
    let sizes = names.compactMap { size(of: folder + "/" + $0) }
    return PruneSummary.Item(name: name, files: sizes.count, bytes: sizes.reduce(0, +))
  }

  /// When a folder or a file in it was last written to, in seconds since 1970.
  static func lastChange(in folder: String) -> Int? {
    let below = isFolder(folder) ? (try? paths(below: folder)) ?? [] : []
    let paths = [folder] + below.map { folder + "/" + $0 }
    let times = paths.compactMap { path -> Int? in
      var status = stat()
      return lstat(path, &status) == 0 ? Int(status.st_mtim.tv_sec) : nil
    }
    return times.max()
  }
}
