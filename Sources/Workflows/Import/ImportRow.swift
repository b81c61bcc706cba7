// SPDX-License-Identifier: Apache-2.0

import Bench
import ChangeDetection
import JSONText
import RunArchive

/// One row of a table, asked by what its columns say.
struct ImportRow {
  let table: ImportTable
  let columns: ImportColumns
  let number: Int
  let cells: [ImportTable.Cell?]

  /// Where the row begins.
  var start: ImportTable.Cell {
    cells.lazy.compactMap(\.self).first ?? ImportTable.Cell(text: "", line: number, column: 1)
  }

  /// What a cell says without the spaces around it; `nil` where it is empty or not there.
  func cell(at place: Int) -> ImportTable.Cell? { cells[place]?.filled }

  /// What the row says in a column, or what holds of all rows where it says nothing there.
  func cell(_ field: ImportColumn.Field) -> ImportTable.Cell? {
    columns.fields[field].flatMap(cell) ?? columns.constants[field]
  }

  /// Reads a cell; what it cannot be is told with its place.
  func value<Value>(
    _ field: ImportColumn.Field, _ read: (String) throws(ImportFault) -> Value
  ) throws(InputError) -> Value? {
    guard let cell = cell(field) else { return nil }
    return try value(of: cell, field.rawValue, read)
  }

  func value<Value>(
    of cell: ImportTable.Cell, _ name: String, _ read: (String) throws(ImportFault) -> Value
  ) throws(InputError) -> Value {
    do throws(ImportFault) {
      return try read(cell.text)
    } catch {
      throw table.error(cell, "\(name): \(error.message)")
    }
  }

  func required<Value>(
    _ field: ImportColumn.Field, _ read: (String) throws(ImportFault) -> Value
  ) throws(InputError) -> Value {
    guard let value = try value(field, read) else {
      throw table.error(start, "the row says no \(field.rawValue)\(Self.hint(field))")
    }
    return value
  }

  private static func hint(_ field: ImportColumn.Field) -> String {
    ImportRules.constantFields.contains(field)
      ? ": a column '\(field.rawValue)' may, or --\(field.rawValue) for all rows"
      : ": a column '\(field.rawValue)' has to"
  }

  /// A name or a remark of bounded length in which no control characters stand.
  static func word(_ text: String) throws(ImportFault) -> String {
    guard text.utf8.count <= 500 else {
      throw ImportFault("the text has \(text.utf8.count) bytes, and at most 500 are kept")
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw ImportFault("the text has control characters in it")
    }
    return text
  }

  static func count(_ text: String, from lowest: Int) throws(ImportFault) -> Int {
    guard let count = Int(text), (lowest...Int(Int32.max)).contains(count) else {
      throw ImportFault(
        "'\(JSONField.shortened(text))' is not a whole number of at least \(lowest)")
    }
    return count
  }
}

/// A moment as other programs write it.
enum ImportMoment {
  /// Reads `2025-03-01`, `2025-03-01T02:00Z`, `2025-03-01 02:00:00.5+01:00`; fractions of a second are cut off.
  ///
  /// A day alone is its first second in UTC, and a time without a zone is taken as UTC, which `isZoned` tells.
  static func read(_ text: String) throws(ImportFault) -> (moment: Moment, isZoned: Bool) {
    let bytes = Array(text.utf8)
    let fault = ImportFault(
      "'\(JSONField.shortened(text))' is no moment such as 2025-03-01T02:00:00Z, 2025-03-01T03:00:00+01:00 or 2025-03-01"
    )
    guard bytes.count >= 10, bytes.count <= 60,
      let day = CalendarDay(String(decoding: bytes[..<10], as: UTF8.self))
    else { throw fault }
    guard bytes.count > 10 else { return (Moment(seconds: day.number * 86_400), false) }
    guard [UInt8(ascii: "T"), UInt8(ascii: " ")].contains(bytes[10]) else { throw fault }
    let rest = bytes[11...]
    let end = rest.firstIndex { [0x5A, 0x2B, 0x2D].contains($0) } ?? bytes.count
    // What has no seconds has zero of them.
    var clock = String(decoding: rest[..<end].filter { $0 != 0x20 }, as: UTF8.self)
    if clock.utf8.count == 5 { clock += ":00" }
    guard let local = Moment("\(day)T\(clock)Z") else { throw fault }
    guard end < bytes.count else { return (local, false) }
    if bytes[end] == 0x5A {
      guard end + 1 == bytes.count else { throw fault }
      return (local, true)
    }
    let digits = bytes[(end + 1)...].filter { $0 != 0x3A }
    guard digits.count == 2 || digits.count == 4,
      let hours = CalendarDay.digits(digits[..<2]), let minutes = CalendarDay.digits(digits[2...]),
      hours <= 14, minutes < 60
    else { throw fault }
    let offset = (hours * 3600 + minutes * 60) * (bytes[end] == 0x2D ? -1 : 1)
    return (Moment(seconds: local.seconds - offset), true)
  }
}
