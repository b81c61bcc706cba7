// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import ChangeDetection
import Devices
private import Glibc
import LiveRuns
import Paths
import Reporting
package import RunArchive
import Units

/// Brings tables of older or foreign results into an archive: all of them, or nothing.
package struct ImportWorkflow: Sendable {
  package struct Outcome: Sendable {
    package var rows = 0
    package var readings = 0
    /// The runs that are new, ascending by when they were measured.
    package var added: [ImportedRun.Key] = []
    /// The runs that took the place of others.
    package var replaced: [ImportedRun.Key] = []
    /// How many runs were there with all that the tables say of them.
    package var present = 0
    /// Columns and readings that nobody knows, with how many cells or rows.
    package var skipped: [(name: String, count: Int)] = []
    /// Rows whose moments have no zone.
    package var zoneless = 0
  }

  private let files: [String]
  private let location: ArchiveLocation
  private let rules: ImportRules
  private let user: RigOperator
  /// Whether what the tables say takes the place of what was imported otherwise.
  package var replaces = false
  /// Whether nothing is written.
  package var isDry = false
  package var who = ""

  package init(
    _ files: [String], into location: ArchiveLocation, by rules: ImportRules, user: RigOperator
  ) {
    self.files = files
    self.location = location
    self.rules = rules
    self.user = user
  }

  package func execute() throws -> Outcome {
    var reader = ImportReader(rules, now: Moment(seconds: Host.secondsSince1970))
    var hashes: [String] = []
    for file in files {
      let bytes = try RegularFile(path: file).bytes(limit: ImportTable.Limits.bytes)
      hashes.append(ContentHash(of: bytes).description)
      try reader.read(ImportTable(bytes, file: file))
    }
    guard reader.unusedHeads.isEmpty else {
      throw InputError(
        "--map names '\(reader.unusedHeads[0])', and no table has such a column: write its head as "
          + "it stands there")
    }
    let runs = reader.runs.values.sorted { $0.key < $1.key }
    guard !runs.isEmpty else {
      throw InputError("\(files.joined(separator: ", ")): there is no reading to import")
    }
    var outcome = Outcome(rows: reader.rowCount, zoneless: reader.zoneless)
    outcome.skipped = reader.skipped.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    guard !isDry || access(location.folder, F_OK) == 0 else {
      outcome.readings = runs.reduce(0) { $0 + $1.readings.count }
      outcome.added = runs.map(\.key)
      return outcome
    }
    let lock = isDry ? nil : Optional(try lock())
    let archive = try Archive(opening: location)
    try merge(runs, into: archive, hashes, &outcome)
    _ = consume lock
    return outcome
  }

  private func lock() throws -> WorkLock {
    try WorkLock.take("import", in: location.folder) { holder in
      "\(location.folder): \(holder) is importing already: wait for it"
    }
  }

  private func merge(
    _ runs: [ImportedRun], into archive: Archive, _ hashes: [String], _ outcome: inout Outcome
  ) throws {
    let present = try PresentRuns(runs, in: archive)
    var additions: [PresentRuns.Addition] = []
    for (index, run) in runs.enumerated() {
      user.tell(.step("comparing", share: Double(index) / Double(runs.count)))
      guard let addition = try present.addition(run, files: files, replaces: replaces) else {
        outcome.present += 1
        continue
      }
      additions.append(addition)
      outcome.readings += addition.run.readings.count
      if addition.replaced.isEmpty {
        outcome.added.append(run.key)
      } else {
        outcome.replaced.append(run.key)
      }
    }
    defer { user.tell(.idle) }
    guard !isDry, !additions.isEmpty else { return }
    var batch = try RunBatch(in: archive, stamp: Host.time("%Y%m%d-%H%M%S"))
    let date = Host.time("%Y-%m-%dT%H:%M:%SZ")
    for (index, addition) in additions.enumerated() {
      user.tell(.step("writing", share: Double(index) / Double(additions.count)))
      // The first that it replaces gives it its name: a baseline may be pinned to it.
      let id = addition.replaced.first ?? batch.id(Self.name(of: addition.run.key))
      let record = record(of: addition.run, id, hashes, date)
      let views = RunViews.texts(
        of: record, figures: [], charts: nil, names: ["report.html", "readings.csv"])
      try batch.add(record, views: views, replacing: addition.replaced)
    }
    try batch.keep()
  }

  private func record(
    of run: ImportedRun, _ id: String, _ hashes: [String], _ date: String
  ) -> RunRecord {
    let sources = files.indices.compactMap { table -> RunRecord.Imported.Source? in
      let rows = run.rows(of: table)
      guard !rows.isEmpty else { return nil }
      return .init(file: FilePath.name(of: files[table]), sha256: hashes[table], rows: rows)
    }
    return RunRecord(
      imported: .init(sources: sources, date: date, who: who), date: run.key.began.description,
      folder: id, environment: run.environment, rig: run.key.rig, plan: run.key.plan,
      actuator: run.key.actuator, software: user.software, readings: run.readings)
  }

  /// `20250301-020000-bench-1-nightly`, with nothing in it that a folder's name should not have.
  private static func name(of key: ImportedRun.Key) -> String {
    let stamp = key.began.description.prefix(19).filter { $0 != "-" && $0 != ":" }
      .map { $0 == "T" ? "-" : $0 }
    let name = "\(key.rig)-\(key.plan)".prefix(100).map { character -> Character in
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      return isPlain || "-_.".contains(character) ? character : "_"
    }
    return "\(String(stamp))-\(String(name))"
  }
}
