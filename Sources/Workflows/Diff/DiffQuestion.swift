// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Bench
import ChangeDetection
import Paths
import RigFiles
package import RunArchive

/// Which runs are laid beside each other, and what of them is looked at.
package struct DiffQuestion: Sendable {
  /// Run folders, run IDs of the archive, or either with `:PATTERN` and `:TAKE` behind it.
  package var runs: [String]
  package var archive: ArchiveLocation
  /// Whether the baseline of the first run's rig and plan is what all are compared with.
  package var usesBaseline = false
  /// Names of readings, as a shell's pattern; all where it is `nil`.
  package var reading: String?
  /// Names of patterns, as a shell's pattern; all where it is `nil`.
  package var pattern: String?
  /// Whether recordings are laid over each other.
  package var hasOverlays = true
  /// Of how many patterns at most.
  package var mostOverlays = 12
  /// Reads the record of a run's folder: whoever asks often may know it.
  package var record: @Sendable (_ folder: String) throws -> RunRecord = RunFolder.comparedRecord

  package init(_ runs: [String], in archive: ArchiveLocation) {
    self.runs = runs
    self.archive = archive
  }

  /// The one pattern that a side was named by.
  var onlyPattern: String?

  func isAsked(_ reading: Reading) -> Bool {
    Glob.matches(self.reading, reading.name.description) && isAsked(pattern: reading.pattern ?? "")
      && (onlyPattern ?? reading.pattern) == reading.pattern
  }

  func isAsked(pattern name: String) -> Bool { Glob.matches(pattern, name) }
}

/// One run as it is compared: its record and its folder.
struct ComparedRun {
  let id: String
  let folder: String
  let record: RunRecord

  init(folder: String, reading record: (String) throws -> RunRecord) throws {
    self.folder = StoredInputs.plain(folder)
    self.record = try record(self.folder)
    id = FilePath.name(of: self.folder)
  }
}

extension RunFolder {
  /// The record of a run's folder, as it is compared with others.
  @Sendable package static func comparedRecord(of folder: String) throws -> RunRecord {
    try StoredInputs.record(of: folder, limit: 256 << 20).record
  }
}

/// One side of a comparison, read: a run, some takes of it, or the runs of a baseline.
struct ComparedSide {
  let runs: [ComparedRun]
  var pattern: String?
  var take: Int?
  var isBaseline = false

  /// What stands for all runs where one has to.
  var latest: ComparedRun { runs[runs.count - 1] }

  init(runs: [ComparedRun], isBaseline: Bool) {
    self.runs = runs
    self.isBaseline = isBaseline
  }

  /// Finds what a person named: the whole of it as a run first, then what stands before a colon.
  init(
    _ text: String, in archive: ArchiveLocation,
    reading record: (String) throws -> RunRecord = RunFolder.comparedRecord
  ) throws {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    // A run's folder may have colons of its own; the pattern and the take are the last two.
    for count in 0...min(2, parts.count - 1) {
      let name = parts.dropLast(count).joined(separator: ":")
      guard let folder = Self.folder(name, in: archive) else { continue }
      runs = [try ComparedRun(folder: folder, reading: record)]
      try choose(Array(parts.suffix(count)), of: text)
      return
    }
    let name = parts[0]
    let known = Self.names(in: archive)
    let near = Nearest.sorted(known, to: name).prefix(3).joined(separator: ", ")
    throw InputError(
      "there is no run '\(name)', neither a folder with a record nor in the archive "
        + "\(archive.folder)" + (near.isEmpty ? "" : "; the nearest it has: \(near)"))
  }

  private mutating func choose(_ parts: [String], of text: String) throws {
    guard let pattern = parts.first, !pattern.isEmpty else {
      guard parts.isEmpty else {
        throw InputError("'\(text)': name a pattern behind the colon, or leave the colon out")
      }
      return
    }
    let record = latest.record
    let known =
      record.patterns.map(\.name) + (record.imported == nil ? [] : record.patternsOfReadings)
    guard known.contains(pattern) else {
      let near = Nearest.sorted(known, to: pattern).prefix(5).joined(separator: ", ")
      throw InputError(
        "'\(text)': the run has no pattern '\(pattern)'"
          + (near.isEmpty ? "" : "; the nearest it has: \(near)"))
    }
    self.pattern = pattern
    guard parts.count > 1 else { return }
    let takes = Set(record.readings.filter { $0.pattern == pattern }.compactMap(\.take)).sorted()
    guard let take = Int(parts[1]), takes.contains(take) else {
      let names = takes.map(String.init).joined(separator: ", ")
      throw InputError(
        "'\(text)': '\(pattern)' has no take '\(parts[1])' in the run; it has \(names)")
    }
    self.take = take
  }

  private static func folder(_ name: String, in archive: ArchiveLocation) -> String? {
    guard !name.isEmpty else { return nil }
    if RunFolder.isRun(name) { return name }
    guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
    let folder = archive.folder + "/" + name
    return RunFolder.isRun(folder) ? folder : nil
  }

  private static func names(in archive: ArchiveLocation) -> [String] {
    ((try? Folder.names(in: archive.folder)) ?? []).filter {
      RunFolder.isRun(archive.folder + "/" + $0)
    }
  }

  /// The readings that are looked at, with the number of their run.
  func readings(_ question: DiffQuestion) -> [(run: Int, reading: Reading)] {
    runs.enumerated().flatMap { number, run in
      run.record.readings.filter { reading in
        question.isAsked(reading) && (pattern ?? reading.pattern) == reading.pattern
          && (take ?? reading.take) == reading.take
      }.map { (number, $0) }
    }
  }
}

extension RunRecord {
  /// The patterns that its readings name, each once, in their order.
  var patternsOfReadings: [String] {
    var names: [String] = []
    for name in readings.compactMap(\.pattern) where !names.contains(name) { names.append(name) }
    return names
  }
}

extension ComparedSide {
  /// The runs that the baseline of a run's rig and plan rests on.
  ///
  /// The run that the last decision pinned; else the complete runs of the last nights before it, none before the
  /// day that the last decision accepted. Re-runs and the runs that are compared do not count.
  static func baseline(
    of run: ComparedRun, but others: [String], in archive: Archive,
    reading record: (String) throws -> RunRecord
  ) throws -> ComparedSide {
    func compared(_ id: String) throws -> ComparedRun {
      try ComparedRun(folder: archive.location.folder + "/" + id, reading: record)
    }
    let (rig, plan) = (run.record.rig.name, run.record.plan.name)
    let decision = try archive.decisions().map(\.kept.decision).last { $0.scope.rig == rig }
    if let pinned = decision?.run, try archive.run(pinned).plan == plan {
      return ComparedSide(
        runs: [try compared(pinned)], isBaseline: true)
    }
    let filter = RunFilter(rig: rig, plan: plan)
    let reruns = try archive.environment(ReadingSeries.rerunMark, of: filter)
    let earliest = Moment(run.record.header.date)?.seconds ?? .max
    let runs = try archive.runs(matching: filter).filter { one in
      one.status == .complete && reruns[one.id] == nil && !others.contains(one.id)
        && one.started.seconds < earliest && one.day.number >= (decision?.day ?? .min)
    }
    let nights = Set(runs.map(\.day.number)).sorted().suffix(DiffWorkflow.baselineNights)
    let chosen = runs.filter { nights.contains($0.day.number) }.reversed()
    guard !chosen.isEmpty else {
      throw InputError(
        "\(archive.location.description): the archive has no baseline of '\(plan)' on '\(rig)': no complete "
          + "run of it before \(run.id), and none that is pinned")
    }
    return ComparedSide(
      runs: try chosen.map { try compared($0.id) }, isBaseline: true)
  }
}
