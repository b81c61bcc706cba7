// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import JSONText

/// A table of texts as somebody else wrote it, each cell with its place in the file.
struct ImportTable {
  struct Cell {
    var text: String
    var line: Int
    /// In Unicode scalars, from 1.
    var column: Int

    /// The cell without the spaces around its text; `nil` where nothing else stands in it.
    var filled: Cell? {
      let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
      guard let first = text.unicodeScalars.firstIndex(where: { !isSpace($0) }),
        let last = text.unicodeScalars.lastIndex(where: { !isSpace($0) })
      else { return nil }
      return Cell(text: String(text.unicodeScalars[first...last]), line: line, column: column)
    }
  }

  /// More than any archive of a rig has in a year: whoever has more brings them in parts.
  enum Limits {
    static let bytes = 64 << 20
    static let rows = 1_000_000
    static let columns = 1_000
    /// Of all rows together, also where a row lacks one.
    static let cells = 16_000_000
    /// Beyond it nobody counts how many too many a row has.
    static let rowCells = 10_000
    static let cellBytes = 10_000
  }

  let file: String
  var head: [Cell] = []
  /// Each as long as the head; a cell that a row does not have is `nil`.
  var rows: [(number: Int, cells: [Cell?])] = []
  /// What holds of every row, by the column that would have said it.
  var constants: [(name: Cell, value: Cell)] = []

  init(file: String) { self.file = file }

  /// Reads a text as JSON where it begins with a brace, else as comma-separated values.
  init(_ bytes: [UInt8], file: String) throws(InputError) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    if text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") {
      try self.init(json: bytes, file: file)
    } else {
      self = try CSVReader(bytes, file: file).table()
    }
  }

  func error(_ cell: Cell, _ message: String) -> InputError {
    Self.error(file, cell.line, cell.column, message)
  }

  static func error(_ file: String, _ line: Int, _ column: Int, _ message: String) -> InputError {
    InputError("\(file):\(line):\(column): \(message.printable)")
  }
}

extension ImportTable {
  /// Reads an object `{"schema": "haprig.import/1", "rows": [...]}`: a row is an object with the columns as its keys, and
  /// what stands beside `rows` holds of all of them.
  private init(json bytes: [UInt8], file: String) throws(InputError) {
    self.init(file: file)
    do throws(JSONFieldError) {
      var reader = JSONReader(bytes: bytes)
      try reader.read(into: &self)
    } catch {
      throw InputError("\(file):\("\(error)".printable)")
    }
  }

  private struct JSONReader {
    static let schema = "haprig.import/1"

    let bytes: [UInt8]
    /// Places are asked for in rising order, which takes one pass altogether.
    private var finder = JSONPositionFinder()

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func read(into table: inout ImportTable) throws(JSONFieldError) {
      let root = JSONField(root: try document(), of: .init(name: "table"))
      let schema = try root["schema"]
      let name = try schema.string()
      guard !name.hasPrefix("haprig.imported/"), !name.hasPrefix("haprig.run/") else {
        throw schema.error(
          "this is a run's record: copy the run's whole folder into the archive instead, and the "
            + "next haprig archive list has it")
      }
      try schema.check(
        name == Self.schema, "is '\(JSONField.shortened(name))', not '\(Self.schema)'")
      let rows = try root["rows"]
      for (key, field) in try root.members() where key != "schema" && key != "rows" {
        table.constants.append((cell(key, field), try cell(field)))
      }
      finder = JSONPositionFinder()
      let entries = try rows.elements()
      try rows.check(
        entries.count <= Limits.rows,
        "has \(entries.count) entries, and at most \(Limits.rows) are read")
      var places: [String: Int] = [:]
      for (index, entry) in entries.enumerated() {
        var cells = [Cell?](repeating: nil, count: table.head.count)
        for (key, field) in try entry.members() {
          if let place = places[key] {
            try field.check(cells[place] == nil, "is there twice: remove one of the two")
            cells[place] = try cell(field)
          } else {
            try field.check(
              table.head.count < Limits.columns, "is one key too many: \(Limits.columns) are read")
            places[key] = table.head.count
            table.head.append(cell(key, field))
            cells.append(try cell(field))
          }
        }
        table.rows.append((index + 1, cells))
        // Rows that lack a key have a cell for it all the same.
        try entry.check(
          entries.count * table.head.count <= Limits.cells,
          "makes \(table.head.count) columns of \(entries.count) rows, and at most "
            + "\(Limits.cells) cells are read: bring them in parts")
      }
      for row in table.rows.indices {
        let missing = table.head.count - table.rows[row].cells.count
        if missing > 0 { table.rows[row].cells += [Cell?](repeating: nil, count: missing) }
      }
    }

    private func document() throws(JSONFieldError) -> JSONNode {
      do throws(JSONError) {
        return try JSONDocument(bytes).root
      } catch {
        throw JSONFieldError(position: error.position, path: "", message: error.message)
      }
    }

    private mutating func cell(_ text: String, _ field: JSONField) -> Cell {
      let whole = bytes
      let place = finder.position(of: field.node.offset, in: whole.span)
      return Cell(text: text, line: place.line, column: place.column)
    }

    private mutating func cell(_ field: JSONField) throws(JSONFieldError) -> Cell {
      if let integer = field.node.integer { return cell("\(integer)", field) }
      if let number = field.node.number { return cell("\(number)", field) }
      guard let text = field.node.string else { throw field.mismatch("a text or a number") }
      try field.check(
        text.utf8.count <= Limits.cellBytes,
        "has \(text.utf8.count) bytes, and at most \(Limits.cellBytes) are read")
      return cell(text, field)
    }
  }
}
