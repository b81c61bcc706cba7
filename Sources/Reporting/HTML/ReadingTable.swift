import Acceptance
import Units

/// Readings as a table; columns that no reading fills are left out.
struct ReadingTable {
  /// Up to how many rows by event a table stands open.
  static let openRows = 12

  let caption: String
  let readings: [Reading]
  let scatter: ReadingScatter

  private struct Column {
    let title: String
    /// The class of its cells.
    let style: String
    /// What a cell says; empty where the reading says nothing.
    let text: @Sendable (Reading) -> String
  }

  private static let value = "Value"
  private static let columns = [
    Column(title: "Event", style: "number") { $0.event.map(String.init) ?? "" },
    Column(title: "Take", style: "number") { $0.take.map(String.init) ?? "" },
    Column(title: "Channel", style: "") { $0.channel ?? "" },
    Column(title: value, style: "number") { _ in "" },
    Column(title: "n", style: "number") { $0.count.map(String.init) ?? "" },
    Column(title: "Limit", style: "words") { $0.limit ?? "" },
  ]

  func write(to section: inout Markup) {
    let columns = Self.columns.map { column in
      switch column.title {
      case "Take": takes
      case Self.value: values
      default: column
      }
    }.filter { column in
      readings.contains { !column.text($0).isEmpty } && !(column.title == "Take" && hasOneTake)
    }
    let hasNotes = readings.contains { $0.note != nil }
    section.writeScroller(caption) { scroller in
      scroller.element("table", ["class": "readings"]) { table in
        table.element("caption", text: caption)
        table.element("thead") { head in
          head.element("tr") { row in
            row.element("th", ["scope": "col"], text: "Reading")
            for column in columns {
              row.element("th", Self.attributes(of: column, isHead: true), text: column.title)
            }
            row.element("th", ["scope": "col"], text: "Verdict")
            if hasNotes { row.element("th", ["scope": "col"], text: "Note") }
          }
        }
        table.element("tbody") { body in
          for reading in readings {
            write(reading, columns, hasNotes: hasNotes, to: &body)
            body.breakLine()
          }
        }
      }
    }
  }

  /// Whether no row needs its take to be told from another.
  private var hasOneTake: Bool {
    let names = taken
    return readings.allSatisfy { $0.take == 1 || $0.take == nil && !names.contains($0.name) }
  }

  private var values: Column {
    Column(title: Self.value, style: "number") { [scatter] reading in
      Shown.value(of: reading, scatter).map(Shown.typeset) ?? ""
    }
  }

  private var takes: Column {
    let names = taken
    return Column(title: "Take", style: "number") { reading in
      reading.take.map(String.init) ?? (names.contains(reading.name) ? "all" : "")
    }
  }

  /// What was read of takes, so that the same name without a take is of all of them.
  private var taken: Set<ReadingName> { Set(readings.filter { $0.take != nil }.map(\.name)) }

  private func write(
    _ reading: Reading, _ columns: [Column], hasNotes: Bool, to body: inout Markup
  ) {
    body.element("tr") { row in
      row.element("th", ["scope": "row"], text: Shown.name(of: reading))
      for column in columns {
        row.element("td", Self.attributes(of: column, isHead: false), text: column.text(reading))
      }
      row.element("td") { cell in
        if let verdict = reading.verdict { cell.writeBadge(verdict) }
      }
      if hasNotes { row.element("td", ["class": "words"], text: reading.note ?? "") }
    }
  }

  private static func attributes(
    of column: Column, isHead: Bool
  ) -> KeyValuePairs<String, String> {
    switch (isHead, column.style.isEmpty) {
    case (true, true): ["scope": "col"]
    case (true, false): ["scope": "col", "class": column.style]
    case (false, true): [:]
    case (false, false): ["class": column.style]
    }
  }
}
