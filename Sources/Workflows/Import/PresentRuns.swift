// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import RunArchive
import Units

/// The imported runs that an archive has already, held against what tables say.
struct PresentRuns {
  /// A run that is to be written, and the runs whose place it takes.
  struct Addition {
    var run: ImportedRun
    var replaced: [String]
  }

  private let archive: Archive
  private var ids: [ImportedRun.Key: [ArchivedRun]] = [:]

  init(_ runs: [ImportedRun], in archive: Archive) throws(ArchiveError) {
    self.archive = archive
    let wanted = Set(runs.map(\.key))
    let days = runs.map(\.key.began.day)
    guard let first = days.min(), let last = days.max() else { return }
    let filter = RunFilter(days: first...last)
    let imported = try archive.environment(RunRecord.Imported.mark, of: filter)
    guard !imported.isEmpty else { return }
    for run in try archive.runs(matching: filter) where imported[run.id] != nil {
      let key = ImportedRun.Key(
        began: run.started, rig: run.rig, plan: run.plan, actuator: run.actuator)
      if wanted.contains(key) { ids[key, default: []].append(run) }
    }
  }

  /// What of a run is to be written; `nil` where all of it is there.
  ///
  /// Readings that another imported run of the same key has are left out where they are the same, and are an error
  /// where they are not, unless the whole run is to be replaced.
  func addition(
    _ run: ImportedRun, files: [String], replaces: Bool
  ) throws -> Addition? {
    var rest = run
    var (overlapping, isChanged) = ([String](), false)
    for there in (ids[run.key] ?? []).sorted(by: { $0.id < $1.id }) {
      guard let record = try archive.record(of: there) else { continue }
      let known = Dictionary(
        record.readings.map { (ImportedRun.Identity($0), $0) }, uniquingKeysWith: { $1 })
      let common = rest.readings.indices.filter { known[.init(rest.readings[$0])] != nil }
      guard !common.isEmpty else { continue }
      overlapping.append(there.id)
      if let (place, sentence) = change(of: run, rest.places[common[0]], known, record) {
        guard replaces else {
          throw ImportTable.error(
            files[place.table], place.line, place.column,
            "\(sentence) (\(there.id)): --replace takes what the table says")
        }
        isChanged = true
        continue
      }
      let places = Set(common)
      rest.places = rest.places.indices.filter { !places.contains($0) }.map { rest.places[$0] }
      rest.readings = rest.readings.indices.filter { !places.contains($0) }
        .map { rest.readings[$0] }
    }
    // What takes the place of a run is all that the tables say of it.
    if isChanged { return Addition(run: run, replaced: overlapping) }
    return rest.readings.isEmpty ? nil : Addition(run: rest, replaced: [])
  }

  /// Where a table says something else than a record does, the first such place and what it is.
  private func change(
    of run: ImportedRun, _ start: ImportedRun.Place,
    _ known: [ImportedRun.Identity: Reading], _ record: RunRecord
  ) -> (ImportedRun.Place, String)? {
    for (reading, place) in zip(run.readings, run.places) {
      guard let other = known[.init(reading)], other != reading else { continue }
      return (
        place,
        "\(reading.name) of this run is \(Self.text(reading)) here and \(Self.text(other)) in the "
          + "archive"
      )
    }
    var environment = record.header.environment
    environment[RunRecord.Imported.mark] = nil
    guard environment != run.environment else { return nil }
    let names = Set(environment.keys).union(run.environment.keys)
      .filter { environment[$0] != run.environment[$0] }.sorted()
    return (start, "the environment of this run is another in the archive: \(names[0])")
  }

  private static func text(_ reading: Reading) -> String {
    guard let value = reading.value else { return "not measured" }
    let spread = reading.uncertainty.map { " ± \($0)" } ?? ""
    return "\(value)\(spread) \(reading.unit.rawValue)"
      + (reading.note.map { " (\($0))" } ?? "")
  }
}
