// SPDX-License-Identifier: Apache-2.0

import Bench

/// Comma-separated values (RFC 4180) as spreadsheets write them: UTF-8 with or without a byte order mark, lines that
/// end with LF or CR LF, and commas, semicolons or tabs between the cells, whichever comes first in the head.
struct CSVReader {
  private let file: String
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  private var column = 1
  private var separator = UInt8(ascii: ",")

  init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    separator = Self.separator(of: bytes[place...])
  }

  /// Reads the whole table; a row that has more or fewer cells than the head is an error at its place.
  consuming func table() throws(InputError) -> ImportTable {
    var table = ImportTable(file: file)
    table.head = try row() ?? []
    guard !table.head.isEmpty else {
      throw error("the file is empty: its first line names columns")
    }
    guard table.head.count <= ImportTable.Limits.columns else {
      throw ImportTable.error(
        file, 1, 1,
        "the head has \(table.head.count) columns, and at most \(ImportTable.Limits.columns) are "
          + "read")
    }
    var cellCount = 0
    while true {
      let number = line
      guard let cells = try row() else { break }
      guard cells.count == table.head.count else {
        throw ImportTable.error(
          file, number, 1,
          "the row has \(cells.count) cells and the head \(table.head.count), with "
            + "\(Self.name(separator)) between them: quote cells that hold one")
      }
      guard table.rows.count < ImportTable.Limits.rows else {
        throw error("at most \(ImportTable.Limits.rows) rows are read: bring them in parts")
      }
      cellCount += cells.count
      guard cellCount <= ImportTable.Limits.cells else {
        throw error("at most \(ImportTable.Limits.cells) cells are read: bring them in parts")
      }
      table.rows.append((number, cells))
    }
    return table
  }

  /// The next row that is not blank; `nil` at the end.
  private mutating func row() throws(InputError) -> [ImportTable.Cell]? {
    while place < bytes.count, Self.isLineEnd(bytes[place]) { try endLine() }
    guard place < bytes.count else { return nil }
    var cells = [try cell()]
    while place < bytes.count, bytes[place] == separator {
      guard cells.count < ImportTable.Limits.rowCells else {
        throw error("the row has more than \(ImportTable.Limits.rowCells) cells")
      }
      advance()
      cells.append(try cell())
    }
    if place < bytes.count { try endLine() }
    return cells
  }

  private mutating func cell() throws(InputError) -> ImportTable.Cell {
    let (startLine, startColumn) = (line, column)
    var content: [UInt8] = []
    if place < bytes.count, bytes[place] == Self.quote {
      content = try quoted()
      if place < bytes.count, bytes[place] != separator, !Self.isLineEnd(bytes[place]) {
        throw error("something follows the closing quote of a cell: write a quote in it twice")
      }
    } else {
      let start = place
      while place < bytes.count, bytes[place] != separator, !Self.isLineEnd(bytes[place]) {
        guard bytes[place] != Self.quote else {
          throw error("a quote stands inside a cell that does not begin with one")
        }
        advance()
      }
      content = Array(bytes[start..<place])
    }
    guard content.count <= ImportTable.Limits.cellBytes else {
      throw ImportTable.error(
        file, startLine, startColumn,
        "the cell has \(content.count) bytes, and at most \(ImportTable.Limits.cellBytes) are read: "
          + "is a quote missing?")
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ImportTable.error(
        file, startLine, startColumn, "the cell is not UTF-8: save the file as UTF-8")
    }
    return ImportTable.Cell(text: text, line: startLine, column: startColumn)
  }

  private mutating func quoted() throws(InputError) -> [UInt8] {
    let (startLine, startColumn) = (line, column)
    var content: [UInt8] = []
    advance()
    while place < bytes.count {
      let byte = bytes[place]
      if byte == Self.quote {
        advance()
        guard place < bytes.count, bytes[place] == Self.quote else { return content }
      }
      content.append(byte)
      if byte == UInt8(ascii: "\n") {
        place += 1
        (line, column) = (line + 1, 1)
      } else {
        advance()
      }
    }
    throw ImportTable.error(file, startLine, startColumn, "the quote of this cell is never closed")
  }

  private mutating func endLine() throws(InputError) {
    if bytes[place] == UInt8(ascii: "\r") {
      guard place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "\n") else {
        throw error("a carriage return stands alone: lines end with LF or CR LF")
      }
      place += 1
    }
    place += 1
    (line, column) = (line + 1, 1)
  }

  private mutating func advance() {
    // Bytes that go on with a character take no column.
    if bytes[place] & 0xC0 != 0x80 { column += 1 }
    place += 1
  }

  private func error(_ message: String) -> InputError {
    ImportTable.error(file, line, column, message)
  }

  private static let quote = UInt8(ascii: "\"")

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// The first of the three that stands in the head outside of quotes; a comma where none does.
  private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
    var isQuoted = false
    for byte in bytes.drop(while: isLineEnd) {
      if byte == quote { isQuoted.toggle() }
      if isQuoted { continue }
      if isLineEnd(byte) { break }
      if [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].contains(byte) { return byte }
    }
    return UInt8(ascii: ",")
  }

  private static func name(_ separator: UInt8) -> String {
    switch separator {
    case UInt8(ascii: ";"): "semicolons"
    case UInt8(ascii: "\t"): "tabs"
    default: "commas"
    }
  }
}
