// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import ChangeDetection
import JSONText
import RunArchive
import Units

/// How tables are read: what the caller knows of them.
package struct ImportRules: Sendable {
  /// What the rows do not say themselves, by the name of the column that would.
  package var constants: [String: String] = [:]
  /// Other people's heads, and the columns that they stand for; empty for a column to leave out.
  package var heads: [String: String] = [:]
  /// Whether columns and readings that nobody knows are counted instead of refused.
  package var skipsUnknown = false

  package init() {}

  /// The columns that `constants` may stand for.
  static let constantFields: [ImportColumn.Field] = [.rig, .plan, .actuator, .pattern]
}

/// The columns of a table by what they say.
struct ImportColumns {
  /// Their places.
  var fields: [ImportColumn.Field: Int] = [:]
  /// What holds of every row.
  var constants: [ImportColumn.Field: ImportTable.Cell] = [:]
  var environment: [(name: String, place: Int)] = []
  var environmentConstants: [(name: String, cell: ImportTable.Cell)] = []
  /// The columns of a wide table that are readings.
  var readings: [(name: ReadingName, unit: MeasurementUnit?, place: Int)] = []
  /// Those that are left out because nobody knows them.
  var unknown: [(name: String, place: Int)] = []
}

/// From tables to runs: pure, with the place of whatever is wrong.
struct ImportReader {
  private let rules: ImportRules
  /// What is later has not been yet.
  private let now: Moment
  private(set) var runs: [ImportedRun.Key: ImportedRun] = [:]
  private(set) var rowCount = 0
  /// Columns and readings that were skipped, with how many cells or rows.
  private(set) var skipped: [String: Int] = [:]
  /// Rows whose moments have no zone and were taken as UTC.
  private(set) var zoneless = 0
  private(set) var files: [String] = []
  private var usedHeads: Set<String> = []
  private var seen: [ImportedRun.Key: [ImportedRun.Identity: ImportedRun.Place]] = [:]

  init(_ rules: ImportRules, now: Moment) {
    self.rules = rules
    self.now = now
  }

  mutating func read(_ table: ImportTable) throws(InputError) {
    let columns = try columns(of: table)
    for (name, place) in columns.unknown {
      skipped[name, default: 0] += table.rows.count { $0.cells[place]?.filled != nil }
    }
    files.append(table.file)
    for (number, cells) in table.rows {
      try read(ImportRow(table: table, columns: columns, number: number, cells: cells))
      rowCount += 1
    }
  }

  /// The heads of the rules that no table has.
  var unusedHeads: [String] { rules.heads.keys.filter { !usedHeads.contains($0) }.sorted() }

  private mutating func read(_ row: ImportRow) throws(InputError) {
    let (began, isZoned) = try row.required(.when, moment)
    let key = ImportedRun.Key(
      began: began, rig: try row.required(.rig, ImportRow.word),
      plan: try row.required(.plan, ImportRow.word),
      actuator: try row.required(.actuator, ImportRow.word))
    var readings: [(reading: Reading, cell: ImportTable.Cell)] = []
    if row.columns.readings.isEmpty {
      guard let one = try reading(of: row) else { return }
      readings.append(one)
    } else {
      for (name, unit, place) in row.columns.readings {
        guard let cell = row.cell(at: place) else { continue }
        let value = try row.value(of: cell, name.description, ImportUnit.number)
        readings.append((try self.reading(name, value, unit, in: row), cell))
      }
    }
    guard !readings.isEmpty else { return }
    if !isZoned { zoneless += 1 }
    try Self.note(environmentOf: row, in: &runs[key, default: ImportedRun(key)])
    for (reading, cell) in readings {
      let place = ImportedRun.Place(
        table: files.count - 1, row: row.number, line: cell.line, column: cell.column)
      let other = seen[key, default: [:]].updateValue(place, forKey: .init(reading))
      if let other {
        throw row.table.error(
          cell,
          "\(reading.name) of this run is there already, at \(files[other.table]):\(other.line):"
            + "\(other.column): number them by the columns repeat or event")
      }
      runs[key]?.readings.append(reading)
      runs[key]?.places.append(place)
    }
  }

  private func moment(_ text: String) throws(ImportFault) -> (Moment, Bool) {
    let (moment, isZoned) = try ImportMoment.read(text)
    guard moment <= now else { throw ImportFault("'\(text)' is in the future") }
    guard moment.seconds >= 0 else { throw ImportFault("'\(text)' is before 1970") }
    return (moment, isZoned)
  }

  /// The reading of a row of a long table; `nil` where nobody knows it and such are skipped.
  private mutating func reading(
    of row: ImportRow
  ) throws(InputError) -> (reading: Reading, cell: ImportTable.Cell)? {
    guard let named = row.cell(.reading) else {
      throw row.table.error(row.start, "the row says no reading: a column 'reading' has to")
    }
    guard let name = ReadingName(named.text) else {
      guard rules.skipsUnknown else {
        throw row.table.error(
          named,
          "'\(JSONField.shortened(named.text))' is no reading that this version of haprig knows"
            + "\(ImportColumn.hint(for: named.text)); --skip-unknown leaves such rows out")
      }
      skipped[named.text, default: 0] += 1
      return nil
    }
    let value = try row.value(.value, ImportUnit.number)
    let unit = try row.value(.unit) { text throws(ImportFault) in
      try ImportUnit.named(text, for: name)
    }
    return (try reading(name, value, unit, in: row), row.cell(.value) ?? named)
  }

  private func reading(
    _ name: ReadingName, _ value: Double?, _ unit: MeasurementUnit?, in row: ImportRow
  ) throws(InputError) -> Reading {
    let own = name.kind.unit
    let convert = { (value: Double) in ImportUnit.convert(value, from: unit ?? own, to: own) }
    let pattern = try row.value(.pattern, ImportRow.word)
    let take = try row.value(.repeat) { text throws(ImportFault) in
      try ImportRow.count(text, from: 1)
    }
    let event = try row.value(.event) { text throws(ImportFault) in
      try ImportRow.count(text, from: 0)
    }
    let channel = try row.value(.channel, ImportRow.word)
    let note = try row.value(.note, ImportRow.word)
    let count = try row.value(.n) { text throws(ImportFault) in
      try ImportRow.count(text, from: 0)
    }
    let factor = try row.value(.k, Self.positive) ?? 1
    let spread = try row.value(.uncertainty, Self.notNegative)
    var reading =
      if let value {
        Reading(
          name.kind, pattern: pattern, take: take, event: event, channel: channel,
          value: convert(value), uncertainty: spread.map { convert($0) / factor }, count: count,
          note: note)
      } else {
        Reading(
          notMeasured: name.kind, pattern: pattern, take: take, event: event, channel: channel,
          because: note ?? "the imported table has no value")
      }
    reading.name = name
    return reading
  }

  private static func positive(_ text: String) throws(ImportFault) -> Double {
    let number = try ImportUnit.number(text)
    guard number > 0 else { throw ImportFault("'\(text)' is not above 0") }
    return number
  }

  private static func notNegative(_ text: String) throws(ImportFault) -> Double {
    let number = try ImportUnit.number(text)
    guard number >= 0 else { throw ImportFault("'\(text)' is below 0") }
    return number
  }

  private static func note(
    environmentOf row: ImportRow, in run: inout ImportedRun
  ) throws(InputError) {
    var facts = row.columns.environmentConstants
    for (name, place) in row.columns.environment {
      if let cell = row.cell(at: place) { facts.append((name, cell)) }
    }
    for field in [ImportColumn.Field.source, .operator] {
      if let cell = row.cell(field) { facts.append((field.rawValue, cell)) }
    }
    for (name, cell) in facts {
      let text = try row.value(of: cell, name, ImportRow.word)
      if let other = run.environment.updateValue(text, forKey: name), other != text {
        throw row.table.error(
          cell,
          "\(name) is '\(text)' here and '\(other)' in another row of the same run: a run has one")
      }
    }
  }
}

extension ImportReader {
  private mutating func columns(of table: ImportTable) throws(InputError) -> ImportColumns {
    var columns = ImportColumns()
    var known: Set<ImportColumn> = []
    for (place, cell) in table.head.enumerated() {
      guard let head = cell.filled else {
        // What spreadsheets leave behind.
        if table.rows.allSatisfy({ $0.cells[place]?.filled == nil }) { continue }
        throw table.error(cell, "the column has cells and no head")
      }
      guard let column = try column(head, of: table) else {
        if rules.heads[head.text] == nil { columns.unknown.append((head.text, place)) }
        continue
      }
      guard known.insert(column).inserted else {
        throw table.error(head, "there is another column of this: leave one of the two out")
      }
      switch column {
      case .field(let field): columns.fields[field] = place
      case .environment(let name): columns.environment.append((name, place))
      case .reading(let name, let unit): columns.readings.append((name, unit, place))
      }
    }
    for (name, value) in table.constants {
      guard let column = try column(name, of: table) else { continue }
      guard known.insert(column).inserted, let value = value.filled else {
        throw table.error(name, "'\(name.text)' is said twice, or says nothing")
      }
      switch column {
      case .field(let field): columns.constants[field] = value
      case .environment(let name): columns.environmentConstants.append((name, value))
      case .reading: throw table.error(name, "a reading cannot be the same for all rows")
      }
    }
    for (name, text) in rules.constants {
      guard let field = ImportColumn.Field(rawValue: name), columns.constants[field] == nil else {
        continue
      }
      columns.constants[field] = ImportTable.Cell(text: text, line: 1, column: 1)
    }
    try checkShape(of: columns, table)
    return columns
  }

  /// What a head stands for; `nil` where it is to be left out.
  private mutating func column(
    _ head: ImportTable.Cell, of table: ImportTable
  ) throws(InputError) -> ImportColumn? {
    let mapped = rules.heads[head.text]
    if mapped != nil { usedHeads.insert(head.text) }
    if mapped == "" { return nil }
    let name = mapped ?? head.text
    do throws(ImportFault) {
      if let column = try ImportColumn(name) { return column }
    } catch {
      throw table.error(head, error.message)
    }
    guard mapped == nil, rules.skipsUnknown else {
      let shown = JSONField.shortened(head.text)
      throw table.error(
        head,
        "'\(JSONField.shortened(name))' is no column that haprig knows"
          + "\(ImportColumn.hint(for: name)): name it with "
          + "--map '\(shown)=COLUMN', or leave it out with --map '\(shown)='")
    }
    return nil
  }

  /// A table has either a reading a row or a reading a column.
  private func checkShape(of columns: ImportColumns, _ table: ImportTable) throws(InputError) {
    let start = table.head.first ?? ImportTable.Cell(text: "", line: 1, column: 1)
    let isLong =
      columns.fields[.reading] != nil || columns.constants[.reading] != nil
      || columns.fields[.value] != nil
    if columns.readings.isEmpty {
      guard isLong || table.rows.isEmpty else {
        throw table.error(
          start,
          "no column tells what was measured: columns 'reading' and 'value', or one for each "
            + "reading, named as it is (latency.onset:ms) or by --map 'HEAD=latency.onset:ms'")
      }
      return
    }
    let own: [ImportColumn.Field] = [.reading, .value, .unit, .uncertainty, .k, .n, .note]
    for field in own where columns.fields[field] != nil || columns.constants[field] != nil {
      throw table.error(
        start,
        "the column '\(field.rawValue)' goes with a reading a row, and here columns are readings")
    }
  }
}
